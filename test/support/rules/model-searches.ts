import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { ModelSearch } from '../../../src/protocol/search.ts';
import { parameterProblem } from './anthropic-parameters.ts';
import { responsesParameters } from './openai-parameters.ts';
import { settingsProblem } from './openai.ts';

type Json = Record<string, unknown>;

type Rule = (
  body: Json,
  headers: IncomingHttpHeaders,
  more: { pathname: string; paused: unknown[] },
) => string | undefined;

const unknownIn = (value: unknown, known: string[]): string | undefined =>
  Object.keys(value ?? {}).find((key) => !known.includes(key));

/** What a provider would say of a request that it refuses. @param more `paused`: what Anthropic has said of a turn so far */
export const searchRules: Record<ModelSearch, Rule> = {
  // https://developers.openai.com/api/docs/guides/tools-web-search and the types of the API reference
  openai(body, { authorization = '' }) {
    const { include, input, max_output_tokens: limit, max_tool_calls: calls, model, tool_choice: choice, tools } = body;
    const unknown = unknownIn(body, responsesParameters);
    if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
    if (!/^Bearer \S+$/.test(authorization)) return "You didn't provide an API key.";
    if (typeof model !== 'string') return "Missing required parameter: 'model'.";
    if (typeof input !== 'string' || input.trim() === '') return "Missing required parameter: 'input'.";
    if (typeof limit === 'number' && limit < 16) return "Invalid 'max_output_tokens': expected a value >= 16.";
    if (calls !== undefined && !(Number.isInteger(calls) && Number(calls) > 0)) return "Invalid 'max_tool_calls'.";
    if (!['auto', 'required', undefined].includes(choice as string))
      return `Invalid value: '${JSON.stringify(choice)}'.`;
    for (const tool of tools as Json[]) {
      const odd = unknownIn(tool, ['type', 'filters', 'search_context_size', 'user_location', 'external_web_access']);
      if (odd !== undefined) return `Unknown parameter: 'tools[0].${odd}'.`;
      if (!['web_search', 'web_search_2025_08_26'].includes(String(tool['type'])))
        return `Invalid value: 'tools[0].type'.`;
      if (!['low', 'medium', 'high', undefined].includes(tool['search_context_size'] as string))
        return 'Invalid value.';
    }
    const known = ['web_search_call.action.sources', 'web_search_call.results', 'reasoning.encrypted_content'];
    if (((include ?? []) as string[]).some((each) => !known.includes(each))) return "Invalid value: 'include'.";
    // vercel/ai#8220 and others: a model that hardly reasons takes no search.
    const { effort } = (body['reasoning'] ?? {}) as { effort?: string };
    if (effort === 'minimal') return "The following tools cannot be used with reasoning.effort 'minimal': web_search.";
    return settingsProblem(body as Parameters<typeof settingsProblem>[0], 'reasoning.effort')?.message;
  },

  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool and …/server-tools
  claude(body, headers, { paused }) {
    const { messages, tools, ...rest } = body as { messages: Json[]; tools: Json[] };
    if (!headers['x-api-key']) return 'x-api-key header is required';
    if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version: header is required';
    const problem = parameterProblem({ ...rest, messages }, headers);
    if (problem !== undefined) return problem;
    for (const tool of tools) {
      const known =
        'type name max_uses allowed_domains blocked_domains user_location cache_control allowed_callers strict';
      const odd = unknownIn(tool, known.split(' '));
      if (odd !== undefined) return `tools.0.${String(tool['type'])}.${odd}: Extra inputs are not permitted`;
      if (tool['name'] !== 'web_search') return "tools.0.name: Input should be 'web_search'";
      if (!/^web_search_(20250305|20260209|20260318)$/.test(String(tool['type'])))
        return 'tools.0.type: Input should be …';
      if (tool['max_uses'] !== undefined && !(Number(tool['max_uses']) > 0)) return 'tools.0.max_uses: greater than 0';
    }
    const [first, ...others] = messages;
    if (first?.['role'] !== 'user') return 'messages: first message must use the "user" role';
    if (others.length === 0) return undefined;
    // A turn that was paused goes on with what the API has said of it, and with nothing else.
    const isPaused = others.length === 1 && others[0]?.['role'] === 'assistant';
    if (!isPaused) return 'This model does not support assistant message prefill.';
    if (isDeepStrictEqual(others[0]?.['content'], paused)) return undefined;
    return 'messages.1.content: Invalid `encrypted_content` in `web_search_result` block';
  },

  // https://ai.google.dev/api/generate-content
  gemini(body, headers, { pathname }) {
    if (!headers['x-goog-api-key']) return "Method doesn't allow unregistered callers.";
    if (!/^\/v1beta\/models\/[\w.-]+:generateContent$/.test(pathname))
      return `${pathname} is not found for API version v1beta`;
    const known = 'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent';
    const unknown = unknownIn(body, known.split(' '));
    if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`;
    const { contents, generationConfig, tools } = body as {
      contents?: Json[];
      generationConfig?: Json;
      tools?: Json[];
    };
    const parts = contents?.flatMap((each) => each['parts'] as Json[]) ?? [];
    if (parts.length === 0 || parts.some(({ text }) => !text))
      return 'GenerateContentRequest.contents: contents is not specified';
    if (contents?.some(({ role }) => !['user', 'model'].includes(String(role))))
      return 'Please use a valid role: user, model.';
    const odd = unknownIn(
      generationConfig,
      'maxOutputTokens temperature topP topK stopSequences thinkingConfig seed'.split(' '),
    );
    if (odd !== undefined) return `Unknown name "${odd}" at 'generation_config'`;
    const isSearch = tools?.length === 1 && isDeepStrictEqual(tools[0], { google_search: {} });
    return isSearch ? undefined : "Unknown name at 'tools[0]'";
  },
};
