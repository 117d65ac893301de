import type { Context } from 'hono';
import { z } from 'zod';
import { HttpProblem, type Problem } from '../problems.ts';
import { askingTools, isAskingTool, type AskingTool } from './asking.ts';

export class ParameterProblem extends HttpProblem {
  readonly param: string;

  /** @param param such as `messages[1].content` */
  constructor(param: string, message: string) {
    super(400, `${param}: ${message}`);
    this.param = param;
  }
}

/**
 * A run that was begun and has failed. Clients send a request again by themselves unless they take the fault for their own, of which
 * 400 is the one that all of them do, and each time would be another run.
 */
export class RunFailed extends HttpProblem {
  constructor(message: string) {
    super(400, message);
  }
}

const kinds: Record<number, [type: string, code: string]> = {
  401: ['authentication_error', 'invalid_api_key'],
  403: ['permission_error', 'forbidden'],
  404: ['not_found_error', 'not_found'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
};

export function openaiError({ detail: message, status }: Pick<Problem, 'detail' | 'status'>, error?: unknown) {
  const other = status < 500 ? 'invalid_request_error' : 'server_error';
  const [type, code] = error instanceof RunFailed ? runFailed : (kinds[status] ?? [other, other]);
  return { error: { message, type, param: error instanceof ParameterProblem ? error.param : null, code } };
}

const runFailed = ['server_error', 'run_failed'];

/** The same in a stream, where the code is the only number. */
export const failedChunk = (message: string) => ({
  error: { message, type: 'server_error', param: null, code: '400' },
});

const asText = 'an answer is text; the key verify of a configuration holds it to a schema';
const ownTools = `agents have the tools of their configuration; a request may offer ${askingTools.join(' and ')}`;

/** What cannot be heeded and would make another answer of it: what it may be nevertheless, and what there is instead. */
const refused: Record<string, [accepted: unknown[], why: string]> = {
  n: [[1], 'a run gives one answer'],
  logprobs: [[false], 'the answer of a team has none'],
  top_logprobs: [[0], 'the answer of a team has none'],
  stop: [[[], ''], 'an answer is given whole'],
  response_format: [[{ type: 'text' }], asText],
  'text.format': [[{ type: 'text' }], asText],
  modalities: [[['text']], asText],
  audio: [[], asText],
  functions: [[[]], ownTools],
  function_call: [['none'], ownTools],
  tool_choice: [['auto', 'none'], 'whether a person is asked is for the agents to say'],
  web_search_options: [[], ownTools],
  prompt: [[], 'what agents are told is in their configuration'],
  conversation: [[], 'previous_response_id goes on with a conversation'],
};

const taken = ['model', 'stream', 'stream_options', 'tools', 'metadata', 'messages', 'input', 'instructions'];
const takenToo = ['background', 'store', 'previous_response_id', 'text'];
const known = new Set([...taken, ...takenToo, ...Object.keys(refused)]);

type Body = Record<string, unknown>;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Refuses what would change the answer, and names in a header what has no effect. */
export function sift(c: Context, body: Body): void {
  for (const [param, [accepted, why]] of Object.entries(refused)) {
    const value = param.split('.').reduce<unknown>((within, key) => (within as Body | undefined | null)?.[key], body);
    const isAccepted = accepted.some((each) => JSON.stringify(each) === JSON.stringify(value));
    if (isGiven(value) && !isAccepted) throw new ParameterProblem(param, why);
  }
  const ignored = Object.keys(body).filter((name) => !known.has(name) && isGiven(body[name]));
  if (ignored.length > 0) c.header('x-reprise-ignored', ignored.join(', ').replaceAll(/[^\x20-\x7e]/g, '?'));
}

/**
 * The tools by which the client may be asked: those that it offers, or all of them with `metadata: {questions: "tool"}`. @throws
 * `ParameterProblem` where it offers others
 */
export function offeredIn({ metadata, tool_choice: choice, tools }: Common): AskingTool[] {
  const offered = (tools ?? []).map((tool, index) => {
    const name = tool.function?.name ?? tool.name;
    if (!isAskingTool(name)) throw new ParameterProblem(`tools[${index}]`, ownTools);
    return name;
  });
  if (choice === 'none') return [];
  return metadata?.['questions'] === 'tool' ? askingTools : offered;
}

const pairs = 'at most 16 names of 64 characters, with texts of 512';

export const common = z.looseObject({
  model: z.string('the name of a configuration; GET /v1/models lists them'),
  stream: z.boolean().nullish(),
  tools: z
    .array(z.looseObject({ name: z.string().optional(), function: z.looseObject({ name: z.string() }).optional() }))
    .nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512), pairs)
    .refine((given) => Object.keys(given).length <= 16, pairs)
    .nullish(),
});

type Common = z.infer<typeof common>;

/** A body as a schema has it. @throws `ParameterProblem` */
export function checked<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const param = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  throw new ParameterProblem(param.slice(1) || 'body', issue?.message ?? '');
}
