import { z } from 'zod';
import type { ToolSources } from '../protocol/tool.ts';
import { backendSchema, type Backend } from './backend.ts';
import { mcpServersSchema } from './mcp-servers.ts';
import { reactSchema, simpleToolSchema, type OrchestratorSettings } from './orchestrators.ts';
import { modulePath } from './module-path.ts';
import { toolTime } from './seconds.ts';
import { toolPackagesSchema } from './tool-packages.ts';

/** What a module can be to another (xaibo's documentation, Protocols). */
export const protocols = [
  'LLMProtocol',
  'ToolProviderProtocol',
  'ResponseProtocol',
  'ConversationHistoryProtocol',
  'TextMessageHandlerProtocol',
] as const;

export type Protocol = (typeof protocols)[number];

/** What a module adds to its agent. */
export type Part =
  | { provides: 'LLMProtocol'; backend: Backend }
  | { provides: 'ToolProviderProtocol'; tools: ToolSources }
  | { provides: 'TextMessageHandlerProtocol'; orchestrator: OrchestratorSettings }
  | { provides: 'ResponseProtocol' | 'ConversationHistoryProtocol' };

/** A kind of module: what it provides, and the schema that makes its `config:` a part. */
export interface Kind {
  provides: Protocol;
  schema: z.ZodType<Part>;
}

const llm = (type: Backend['type']): Kind => ({
  provides: 'LLMProtocol',
  schema: backendSchema
    .omit({ type: true })
    .transform((config) => ({ provides: 'LLMProtocol', backend: { type, ...config } })),
});

const orchestrator = (schema: z.ZodType<OrchestratorSettings>): Kind => ({
  provides: 'TextMessageHandlerProtocol',
  schema: schema.transform((settings) => ({
    provides: 'TextMessageHandlerProtocol',
    orchestrator: settings,
  })),
});

/** History and response are the session's own, whether they are wired or not. */
const ofSession = (provides: 'ResponseProtocol' | 'ConversationHistoryProtocol'): Kind => ({
  provides,
  schema: z.strictObject({}).transform(() => ({ provides })),
});

const kinds: Record<string, Kind> = {
  OpenAIProvider: llm('openai'),
  OpenAILLM: llm('openai'),
  AnthropicLLM: llm('claude'),
  GoogleLLM: llm('gemini'),
  OfflineLLM: llm('offline'),
  PythonToolProvider: {
    provides: 'ToolProviderProtocol',
    schema: z.strictObject({ tool_packages: toolPackagesSchema }).transform(({ tool_packages }) => ({
      provides: 'ToolProviderProtocol',
      tools: { packages: tool_packages, mcpServers: [] },
    })),
  },
  MCPToolProvider: {
    provides: 'ToolProviderProtocol',
    schema: z
      .strictObject({ servers: mcpServersSchema, timeout: toolTime.optional() })
      .transform(({ servers, timeout }) => ({
        provides: 'ToolProviderProtocol',
        tools: {
          packages: [],
          mcpServers: servers.map((server) => ({ ...server, ...(timeout && { timeout }) })),
        },
      })),
  },
  SimpleToolOrchestrator: orchestrator(
    simpleToolSchema.transform((settings) => ({ kind: 'simple_tool', ...settings })),
  ),
  ReActOrchestrator: orchestrator(reactSchema.transform((settings) => ({ kind: 'react', ...settings }))),
  ResponseHandler: ofSession('ResponseProtocol'),
  SimpleConversation: ofSession('ConversationHistoryProtocol'),
};

export const kindNames = Object.keys(kinds);

/** The last name of a module's dotted path. */
export const lastName = (module: string): string => module.slice(module.lastIndexOf('.') + 1);

/** The kind that a dotted path names by its last name; undefined where there is none. */
export const kindOf = (module: string): Kind | undefined =>
  Object.hasOwn(kinds, lastName(module)) ? kinds[lastName(module)] : undefined;

/** An orchestrator of the user's own: its configuration is for itself to judge. */
export const customKind = (path: string): Kind =>
  orchestrator(
    z
      .record(z.string(), z.unknown())
      .transform((config) => ({ kind: 'custom', module: modulePath(path), config })),
  );
