import type { Body } from '../scripted.ts';
import { partsOf, type Part, type Problem } from './openai.ts';
import { googleSchemaProblem } from './tool-schemas.ts';

// What servers that speak Chat Completions demand beside OpenAI's own rules: that what a model has thought comes back, and
// of Google's, that tools have plain schemas.

/** Why a server of DeepSeek's or Google's refuses a request, told by the model's name; undefined if it takes it. */
export function compatibleProblem(body: Body): Problem | undefined {
  const replies = partsOf(body['messages']).filter(({ tool_calls: calls }) => partsOf(calls).length > 0);
  const maker = makerOf(body);
  if (maker === 'deepseek' && replies.some(lacksReasoning)) {
    return { message: 'Missing `reasoning_content` field in the assistant message' };
  }
  if (maker === 'openrouter' && replies.some(lacksDetails)) {
    return { message: 'Gemini models require OpenRouter reasoning details to be preserved' };
  }
  if (maker === 'gemini' && replies.some(lacksSignature)) {
    return { message: 'Function call is missing a thought_signature in functionCall parts.' };
  }
  if (maker === 'gemini') return googleSchemaProblem(partsOf(body['tools']).map((tool) => tool['function'] as Part));
  return undefined;
}

/** Whose model a request is for, as far as it thinks over this wire. */
export function makerOf({ model }: Body): 'deepseek' | 'gemini' | 'openrouter' | 'qwen' | undefined {
  if (model.startsWith('google/gemini-3')) return 'openrouter';
  if (model.startsWith('deepseek')) return 'deepseek';
  if (model.startsWith('qwen3')) return 'qwen';
  return model.startsWith('gemini-3') ? 'gemini' : undefined;
}

/** https://api-docs.deepseek.com/guides/thinking_mode, Tool Calls. */
const lacksReasoning = ({ reasoning_content: thought }: Part): boolean => !thought;

/** Whole, with the signature that holds for it: https://openrouter.ai/docs/use-cases/reasoning-tokens, Preserving Reasoning Blocks. */
const lacksDetails = ({ reasoning_details: details }: Part): boolean => {
  const blocks = partsOf(details);
  return blocks.length !== 1 || blocks[0]?.['signature'] !== `signed ${String(blocks[0]?.['text'])}`;
};

/** https://ai.google.dev/gemini-api/docs/thought-signatures, OpenAI compatibility: the first call of a step has one. */
const lacksSignature = ({ tool_calls: calls }: Part): boolean =>
  !JSON.stringify(partsOf(calls)[0]?.['extra_content'] ?? '').includes('"thought_signature":"signed ');
