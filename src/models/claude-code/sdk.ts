import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChildProcess } from 'node:child_process';
import type { Backend } from '../../protocol/settings.ts';

/** No dependency of Reprise, since it brings a binary of 364 MB: whoever names such a backend installs it. */
export const sdkPackage = '@anthropic-ai/claude-agent-sdk';

/** The version that Reprise is tested with. The package changes often, so that others may not work. */
export const sdkVersion = '0.3.330';

const missing =
  `claude_code needs the package ${sdkPackage}, which is not installed (it holds Claude Code, 364 MB): ` +
  `npm install ${sdkPackage}@${sdkVersion}, in the folder of your configuration or where Reprise is installed`;

/** Looks where Reprise is installed, and where a configuration is. @returns the path of its module */
export function findSdk(folder: string): string | undefined {
  for (const from of [import.meta.filename, join(folder, 'reprise.js')]) {
    const paths = createRequire(from).resolve.paths(sdkPackage) ?? [];
    const file = paths.map((path) => join(path, sdkPackage, 'sdk.mjs')).find((path) => existsSync(path));
    if (file !== undefined) return file;
  }
  return undefined;
}

export function missingSdk(backends: Backend[], folder: string): string[] {
  const isNeeded = backends.some(({ type }) => type === 'claude_code');
  return isNeeded && findSdk(folder) === undefined ? [missing] : [];
}

export async function loadSdk(file: string): Promise<Sdk> {
  return (await import(pathToFileURL(file).href)) as Sdk;
}

/** As its `sdk.d.ts` says (https://code.claude.com/docs/en/agent-sdk/typescript), which is not there in a build. */
export interface Sdk {
  query(call: { prompt: AsyncIterable<SdkPrompt>; options: SdkOptions }): AsyncIterable<SdkMessage>;
  createSdkMcpServer(options: { name: string; version: string; tools: [] }): { instance: McpServer };
}

export interface McpServer {
  server: {
    registerCapabilities(capabilities: { tools: object }): void;
    setRequestHandler(schema: unknown, handler: (request: { params: ToolRequest }) => unknown): void;
  };
}

interface ToolRequest {
  name: string;
  arguments?: Record<string, unknown>;
  _meta?: { 'claudecode/toolUseId'?: string };
}

export type PromptBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } };

export interface SdkPrompt {
  type: 'user';
  message: { role: 'user'; content: PromptBlock[] };
  parent_tool_use_id: null;
}

export interface SdkOptions {
  cwd: string;
  env: Record<string, string>;
  model: string;
  effort?: string;
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** The built-in tools; all others do not exist. */
  tools: string[];
  mcpServers: Record<string, { type: 'sdk'; name: string; instance: McpServer }>;
  systemPrompt: string | { type: 'preset'; preset: 'claude_code'; append: string };
  permissionMode: 'acceptEdits' | 'default';
  permissionPrompts: 'none';
  settingSources: [];
  verbatimPrompts: true;
  includePartialMessages: true;
  sessionId?: string;
  resume?: string;
  sessionStore: SdkSessionStore;
  sessionStoreFlush: 'eager';
  hooks: { PreToolUse: SdkHook<ToolUse>[]; PostToolBatch: SdkHook<ToolBatch>[] };
  abortController: AbortController;
  stderr: (text: string) => void;
  spawnClaudeCodeProcess: (options: SpawnOptions) => ChildProcess;
}

export interface SpawnOptions {
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
}

/** A line of a session's file, whose content is Claude Code's own affair. */
export interface SdkEntry {
  type: string;
  message?: { content?: unknown };
}

export interface SdkSessionStore {
  append(key: { subpath?: string }, entries: SdkEntry[]): Promise<void>;
  load(key: { subpath?: string }): Promise<SdkEntry[] | null>;
}

interface SdkHook<Input> {
  hooks: Array<(input: Input) => Promise<object>>;
}

export interface ToolUse {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
}

export interface ToolBatch {
  tool_calls: Array<ToolUse & { tool_response?: unknown }>;
}

interface SdkTokens {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
}

/** An event of the provider's stream (https://platform.claude.com/docs/en/build-with-claude/streaming). */
export interface StreamEvent {
  type: string;
  message?: { model: string; usage?: SdkTokens };
  usage?: SdkTokens;
  delta?: { type?: string; text?: string; partial_json?: string; thinking?: string };
}

export interface ResultMessage {
  type: 'result';
  subtype: 'success' | 'error_during_execution' | 'error_max_turns' | 'error_max_budget_usd';
  is_error: boolean;
  result?: string;
  errors?: string[];
  stop_reason?: string | null;
  api_error_status?: number | null;
  total_cost_usd: number;
  modelUsage: Record<
    string,
    { inputTokens: number; outputTokens: number; cacheReadInputTokens: number; cacheCreationInputTokens: number }
  >;
}

export type SdkMessage =
  | ResultMessage
  | { type: 'stream_event'; event: StreamEvent }
  | { type: 'assistant'; message: { id: string; content: Array<{ type: string; text?: string }> } }
  | { type: 'system' | 'user' };
