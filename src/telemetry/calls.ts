import type { Attributes, SpanKind } from '@opentelemetry/api';
import type { MetricTags } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { pricesFor } from '../config/models/list-prices.ts';
import { isRemote, routeOf } from '../config/models/providers.ts';
import type { TokenUsage } from '../protocol/message.ts';
import type { CallModelInput, CallModelResult } from '../protocol/model-call.ts';
import type { Backend } from '../protocol/settings.ts';
import type { CallToolInput, CallToolResult, ListedTool } from '../protocol/tools/tool.ts';
import type { PriceTable } from '../protocol/usage.ts';
import type { Environment } from '../util/environment.ts';
import { costOf } from '../workflows/agent/budget.ts';
import type { Metrics } from './metrics.ts';

/**
 * What a span says of an activity. No text that a person, a model or a tool has written is part of it: neither prompts and
 * answers nor the arguments and results of tools, nor the messages of failures, which may quote them.
 */
export interface Call {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** What is known at its end. @param result undefined if it failed */
  ended(notes: CallAttributes, result: unknown): Attributes;
  /** The `error.type` of a result that reports a failure. */
  failed?(result: unknown): string | undefined;
  measured(metrics: Metrics, seconds: number, notes: CallAttributes, errorType: string | undefined): void;
}

// Values of OpenTelemetry's enum, whose package is loaded only with the exporter.
const [internal, client] = [0, 2] as SpanKind[] as [SpanKind, SpanKind];

export function callOf(activityType: string, input: unknown, prices: PriceTable, environment: Environment): Call {
  if (activityType === 'callModel') return modelCall(input as CallModelInput, prices, environment);
  if (activityType === 'callTool') return toolCall((input as CallToolInput).tool);
  return { name: `RunActivity:${activityType}`, kind: internal, attributes: {}, ended: hit, measured() {} };
}

const hit = ({ journalHit }: CallAttributes): Attributes => (journalHit ? { 'reprise.journal.hit': true } : {});

const replied = ({ responseModel }: CallAttributes): MetricTags =>
  responseModel === undefined ? {} : { 'gen_ai.response.model': responseModel };

function modelCall({ backend, caller }: CallModelInput, prices: PriceTable, environment: Environment): Call {
  const model = backend.model ?? backend.type;
  const tags = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providers[backend.type],
    'gen_ai.request.model': model,
    ...serverOf(backend, environment),
  };
  const { max_tokens: limit, temperature } = backend;
  return {
    name: `chat ${model}`,
    kind: backend.type === 'offline' ? internal : client,
    attributes: {
      ...tags,
      'gen_ai.request.stream': true,
      ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
      ...(limit !== undefined && { 'gen_ai.request.max_tokens': limit }),
      ...(caller !== undefined && { 'reprise.purpose': caller.purpose }),
    },
    ended(notes, result) {
      const { journalHit, usage } = notes;
      const { reply } = (result ?? {}) as Partial<CallModelResult>;
      return {
        ...hit(notes),
        ...replied(notes),
        ...(reply !== undefined && { 'gen_ai.response.finish_reasons': [reply.finish] }),
        ...(usage !== undefined && !journalHit && usageOf(usage, costIn(usage, backend, prices, environment))),
      };
    },
    measured(metrics, seconds, notes, errorType) {
      const { usage } = notes;
      const all = { ...tags, ...replied(notes) };
      const error = errorType !== undefined && { 'error.type': errorType };
      metrics.record('gen_ai.client.operation.duration', seconds, { ...all, ...error });
      if (usage === undefined) return;
      metrics.record('gen_ai.client.token.usage', usage.inputTokens, { ...all, 'gen_ai.token.type': 'input' });
      metrics.record('gen_ai.client.token.usage', usage.outputTokens, { ...all, 'gen_ai.token.type': 'output' });
    },
  };
}

/** What an amount of tokens says on a span. @param cost in US dollars */
export function usageOf(usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'> & Partial<TokenUsage>, cost: number) {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...(usage.cachedInputTokens !== undefined && {
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    }),
    ...(usage.estimated && { 'reprise.usage.estimated': true }),
    'reprise.cost.usd': cost,
  };
}

function costIn(usage: TokenUsage, backend: Backend, prices: PriceTable, environment: Environment): number {
  const price = pricesFor([backend], prices, environment)[backend.model ?? ''];
  return price === undefined ? (usage.costUsd ?? 0) : costOf(usage, price);
}

/** The names of the GenAI conventions; `chatcompletion` is any server that speaks as OpenAI's does. */
const providers: Record<Backend['type'], string> = {
  openai: 'openai',
  claude: 'anthropic',
  claude_code: 'anthropic',
  gemini: 'gcp.gemini',
  chatcompletion: 'openai_compatible',
  offline: 'offline',
};

/** Where a backend's requests go, without user names, passwords and queries. */
function serverOf(backend: Backend, environment: Environment): Record<string, string | number> {
  if (!isRemote(backend) || !URL.canParse(routeOf(backend, environment).baseUrl)) return {};
  const { hostname, port, protocol } = new URL(routeOf(backend, environment).baseUrl);
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'http:' ? 80 : 443)) };
}

/** What is said of one call of a tool, whether it has an activity of its own or runs within a model's call. */
export function toolCall({ name, source }: ListedTool): Call {
  const tags = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  return {
    name: `execute_tool ${name}`,
    kind: internal,
    attributes: {
      ...tags,
      'gen_ai.tool.type': 'mcp' in source ? 'extension' : 'function',
      'reprise.tool.source': 'mcp' in source ? `mcp:${source.mcp.name}` : source.package,
    },
    ended: hit,
    failed(result) {
      const { status } = (result ?? {}) as Partial<CallToolResult>;
      return status === 'error' || status === 'exception' ? `tool_${status}` : undefined;
    },
    measured(metrics, seconds, _, errorType) {
      const error = errorType !== undefined && { 'error.type': errorType };
      metrics.record('gen_ai.execute_tool.duration', seconds, { ...tags, ...error });
    },
  };
}

/** What an activity has to tell of its present try besides its input and its result. */
interface CallAttributes {
  /** The result was in the journal, so that nothing was done or paid again. */
  journalHit?: true;
  usage?: TokenUsage;
  /** The model that replied, as the provider names it. */
  responseModel?: string;
  /** The tools that a model's call has run after its reply, in the order in which they ended. */
  quickRuns?: QuickRun[];
  /** How long the result was kept for a store that was out of order, in seconds. */
  storeOutOfOrder?: number;
}

/** A tool that was run within a model's call. Times are milliseconds since the epoch. `late`: it was given up. */
export interface QuickRun {
  tool: ListedTool;
  start: number;
  end: number;
  status: CallToolResult['status'] | 'late';
}

const recorded = new WeakMap<Context, CallAttributes>();

export function recordAttributes(more: CallAttributes): void {
  const context = Context.current();
  recorded.set(context, { ...recorded.get(context), ...more });
}

export function recordQuickRun(run: QuickRun): void {
  recordAttributes({ quickRuns: [...(attributesOf(Context.current()).quickRuns ?? []), run] });
}

export const attributesOf = (context: Context): CallAttributes => recorded.get(context) ?? {};
