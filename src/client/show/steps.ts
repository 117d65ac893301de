import { headings, taggedIn } from '../../protocol/headings.ts';
import type { Content, NewMessage } from '../../protocol/message.ts';
import type { CallModelInput, CallModelResult, ReplyCall } from '../../protocol/model-call.ts';
import type { BroadcastResult } from '../../protocol/questions.ts';
import type { SearchInput, SearchResult } from '../../protocol/search.ts';
import type { CallToolInput, CallToolResult } from '../../protocol/tools/tool.ts';
import type { TurnResult } from '../../protocol/session.ts';
import { parsedJson } from '../../util/values.ts';
import { editedText } from '../../workflows/agent/prompts.ts';
import type { ActivityRecord, HistoryRecord } from './history.ts';
import type { RunStep, StepBody } from './step.ts';
import type { Texts } from './texts.ts';

/** What the summary of a model call says: `agent_a · answer · attempt 1 · model`. */
export interface CallSummary {
  agent: string;
  purpose: string;
  part: string;
  model: string;
}

export function summaryOf(summary: string): CallSummary {
  const [agent = '', purpose = '', part = '', ...model] = summary.split(' · ');
  return { agent, purpose, part, model: model.join(' · ') };
}

export type ModelRecord = HistoryRecord & ActivityRecord & { input: CallModelInput; result?: CallModelResult };

export const modelCallsIn = (records: HistoryRecord[]): ModelRecord[] =>
  records.filter((each): each is ModelRecord => each.kind === 'activity' && each.type === 'callModel');

/**
 * What has happened in a run, in the order in which it ended.
 *
 * @param agents the ids of a team's agents in the order of the configuration; none in other runs
 * @param custom those of them whose answers are no replies, since a custom orchestrator returns them
 */
export function stepsOf(records: HistoryRecord[], texts: Texts, agents: string[], custom: string[] = []): RunStep[] {
  const reader = new StepReader(records, texts, agents, custom);
  return withoutVoided(records.flatMap((record) => reader.read(record)));
}

type ToolRun = ActivityRecord & { input: CallToolInput };

const coordinating = ['answer', 'vote'];
const judging = ['decide', 'evaluate'];
const structured = ['plan', 'criticise', 'synthesise', 'analyse', 'validate'];

class StepReader {
  readonly #texts: Texts;
  readonly #agents: string[];
  readonly #custom: string[];
  /** Results of calls, by the conversation's last segment and the call's id, since some providers repeat ids. */
  readonly #results = new Map<string, Content>();
  /** The tools that have run as activities of their own, without those that a reply has been found to call. */
  readonly #toolCalls: ToolRun[];
  readonly #shown = new Map<string, string>();
  readonly #begun: Array<{ since: string; part: string }>;
  #part = '';
  #said: string[] = [];

  constructor(records: HistoryRecord[], texts: Texts, agents: string[], custom: string[]) {
    this.#texts = texts;
    this.#agents = agents;
    this.#custom = custom;
    const calls = modelCallsIn(records);
    this.#begun = calls
      .map(({ since, summary }) => ({ since, part: summaryOf(summary).part }))
      .toSorted((one, other) => one.since.localeCompare(other.since));
    for (const { input } of calls)
      for (const message of input.append)
        if (message.role === 'tool') this.#results.set(`${input.transcript?.id} ${message.callId}`, message.content);
    this.#toolCalls = records.filter(
      (each): each is HistoryRecord & ToolRun =>
        each.kind === 'activity' && each.type === 'callTool' && each.input !== undefined,
    );
  }

  read(record: HistoryRecord): RunStep[] {
    const { at, turn } = record;
    const bodies = this.#bodies(record);
    for (const body of bodies) if ('text' in body) this.#said.push(body.text);
    const now = record.kind === 'signal' ? this.#partAt(at) : this.#part;
    const part = turn > 0 && !now.startsWith('attempt') ? '' : now;
    return bodies.map((body) => ({ at, turn, part, ...body }));
  }

  /** The part in which a run was at a moment: that of the last call which had begun by then. */
  #partAt(at: string): string {
    return this.#begun.findLast(({ since }) => since <= at)?.part ?? '';
  }

  #bodies(record: HistoryRecord): StepBody[] {
    switch (record.kind) {
      case 'turn':
        this.#said = [];
        this.#part = '';
        return [{ type: 'turn', text: record.text }];
      case 'turn_ended':
        return this.#turnEnded(record);
      case 'signal':
        return record.name === 'close' ? [] : [{ type: 'signal', name: record.name, input: record.input }];
      case 'activity':
        return this.#activity(record);
    }
  }

  #turnEnded({ failure, result }: { result?: unknown; failure?: string }): StepBody[] {
    const { messages = [] } = (result ?? {}) as Partial<TurnResult>;
    const unsaid = messages.filter((each) => !this.#said.includes(each));
    if (unsaid.length === 0 && failure === undefined) return [];
    return [{ type: 'turn_ended', messages: unsaid, ...(failure !== undefined && { failure }) }];
  }

  #activity(record: ActivityRecord): StepBody[] {
    const { failure, input, result, summary, type } = record;
    const { agent, part, purpose } = summaryOf(summary);
    if (type === 'callModel') {
      this.#part = part;
      const shown = this.#customAnswers(input as CallModelInput);
      if (result !== undefined)
        return [...shown, ...this.#reply(agent, purpose, input as CallModelInput, result as CallModelResult)];
      const isTold = failure !== undefined && failure !== 'cancelled';
      return isTold ? [...shown, { type: 'failed', agent, purpose, reason: failure }] : shown;
    }
    if (type === 'search') {
      this.#part = part;
      const { hits = [] } = (result ?? {}) as Partial<SearchResult>;
      const { query } = input as SearchInput;
      return [{ type: 'searched', query, hits, ...(failure !== undefined && { failure }) }];
    }
    if (type === 'readPage') {
      const { url } = input as { url: string };
      const { characters, why } = (result ?? {}) as { characters?: number; why?: string };
      const reason = failure ?? why;
      return [
        { type: 'page', url, ...(characters !== undefined && { characters }), ...(reason && { failure: reason }) },
      ];
    }
    const run = this.#toolCalls.find((each) => each === record);
    return run === undefined ? [] : [this.#ownCall(run)];
  }

  #reply(agent: string, purpose: string, input: CallModelInput, { reply, transcript }: CallModelResult): StepBody[] {
    const { calls, content } = reply;
    const text = content.trim();
    const steps: StepBody[] = [];
    if (purpose === 'shadow') steps.push({ type: 'responded', agent, to: askerIn(input.append), text });
    else if (purpose === 'present' && calls.length === 0) steps.push({ type: 'presented', agent, text });
    else if (text !== '') steps.push({ type: 'said', agent, purpose, text });
    const answerTo = ({ id }: ReplyCall) => this.#results.get(`${transcript.id} ${id}`);
    return [...steps, ...calls.map((call) => this.#call(agent, purpose, call, answerTo(call)))];
  }

  #call(agent: string, purpose: string, call: ReplyCall, answered: Content | undefined): StepBody {
    if ('error' in call)
      return { type: 'tool', agent, tool: call.name, arguments: null, status: 'error', result: call.error };
    const { input, name } = call;
    const said = (key: string): string => (typeof input[key] === 'string' ? input[key] : '');
    const refused = typeof answered === 'string' && answered !== 'Recorded.' && { refused: answered };
    if (coordinating.includes(purpose) && name === 'new_answer')
      return { type: 'answer', agent, text: said('content'), ...refused };
    if (coordinating.includes(purpose) && name === 'vote')
      return { type: 'vote', agent, for: this.#agentNamed(said('agent_id')), reason: said('reason'), ...refused };
    if (judging.includes(purpose) && (name === 'submit' || name === 'restart_orchestration'))
      return decisionOf(agent, purpose, name, input);
    if (name === 'ask_others') return { type: 'asked', agent, question: said('question'), ...this.#askEnd(answered) };
    if (name === 'finish_subtask') {
      const failed = input['status'] === 'failed';
      const text = failed ? said('reason') || said('result') : said('result');
      return { type: 'finished', agent, status: failed ? 'failed' : 'completed', text, ...refused };
    }
    if (structured.includes(purpose) && name.startsWith('submit_'))
      return { type: 'submitted', agent, tool: name, fields: input, ...refused };
    return { type: 'tool', agent, tool: name, arguments: input, ...this.#toolEnd(agent, call, answered) };
  }

  /** The id of an agent by its anonymous name; null for that of the best earlier answer. */
  #agentNamed(name: string): string | null {
    return this.#agents[Number(name.replace('agent', '')) - 1] ?? null;
  }

  #askEnd(answered: Content | undefined): Partial<Pick<BroadcastResult, 'status' | 'error'>> {
    const ended = parsedJson(answered === undefined ? '' : this.#texts.textOf(answered));
    const { error, status } = (ended ?? {}) as Partial<BroadcastResult>;
    return { ...(status && { status }), ...(error !== undefined && { error }) };
  }

  /** A tool that no model has called, but the code of a custom orchestrator. */
  #ownCall({ input, result }: ToolRun): StepBody {
    const { agent, arguments: given, tool } = input;
    const { blob, status, text } = (result ?? {}) as Partial<CallToolResult>;
    const ended = text !== undefined && { result: blob === undefined ? text : (this.#texts.blob(blob) ?? text) };
    return { type: 'tool', agent, tool: tool.name, arguments: given, ...(status && { status }), ...ended };
  }

  /** What a tool has returned: as the model was told, else as the tool's activity has it. */
  #toolEnd(agent: string, { input, name }: Extract<ReplyCall, { input: unknown }>, answered: Content | undefined) {
    const isRunOf = ({ arguments: given }: CallToolInput): boolean =>
      JSON.stringify(given) === JSON.stringify(input) ||
      // A person may have changed the arguments, and the agent was then told so.
      [answered ?? ''].flat().some((part) => typeof part === 'string' && part.endsWith(editedText(given)));
    const run = this.#toolCalls.find(
      (each) => each.input.agent === agent && each.input.tool.name === name && isRunOf(each.input),
    );
    if (run !== undefined) this.#toolCalls.splice(this.#toolCalls.indexOf(run), 1);
    const missing = this.#texts.missing;
    const result = answered === undefined ? (run?.result as CallToolResult | undefined) : undefined;
    const content = answered ?? (result?.blob === undefined ? result?.text : { blob: result.blob });
    if (content === undefined) return {};
    const text = this.#texts.textOf(content);
    const status = result?.status ?? statusOf(text);
    return { status, result: text, ...(this.#texts.missing > missing && { isCut: true as const }) };
  }

  /** The answers of custom orchestrators, as the others are shown them when they vote. */
  #customAnswers({ append }: CallModelInput): StepBody[] {
    if (this.#custom.length === 0) return [];
    const userTexts = append.flatMap(({ content, role }) => (role === 'user' ? [this.#texts.textOf(content)] : []));
    const shown = userTexts.filter((text) => text.startsWith(headings.answers));
    return shown.flatMap((list) =>
      taggedIn(list).flatMap(({ content: text, name }): StepBody[] => {
        const agent = this.#agentNamed(name);
        const key = `${this.#part} ${name}`;
        if (agent === null || !this.#custom.includes(agent) || this.#shown.get(key) === text) return [];
        this.#shown.set(key, text);
        return [{ type: 'answer', agent, text }];
      }),
    );
  }
}

function decisionOf(agent: string, purpose: string, tool: string, input: Record<string, unknown>): StepBody {
  const { better, execute, instructions, reason } = input;
  const isRestart = tool === 'restart_orchestration';
  return {
    type: 'decision',
    agent,
    decision: isRestart ? 'restart' : 'submit',
    afterPresenting: purpose === 'evaluate',
    ...(isRestart && { reason: String(reason), instructions: String(instructions) }),
    ...(better === 'earlier' && { prefersEarlier: true }),
    ...(typeof execute === 'boolean' && { execute }),
  };
}

/** A result that says so is a failure: the tool's own, or an exception. */
function statusOf(text: string): CallToolResult['status'] {
  if (text.startsWith('Error: ')) return 'error';
  return text.startsWith('Exception: ') ? 'exception' : 'ok';
}

/** The agent whose question a shadow is asked, as the last message says. */
function askerIn(append: NewMessage[]): string {
  const [first] = [append.at(-1)?.content ?? ''].flat();
  if (typeof first !== 'string' || !first.startsWith(headings.question)) return '';
  return first.slice(headings.question.length).split('\n')[0]?.trim() ?? '';
}

/** Marks the votes that came before a new answer, which makes them void. */
function withoutVoided(steps: RunStep[]): RunStep[] {
  const placeOf = ({ part, turn }: RunStep): string => `${turn} ${part}`;
  const lastAnswers = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (step.type === 'answer' && !step.refused) lastAnswers.set(placeOf(step), index);
  return steps.map((step, index) => {
    const isVoid = step.type === 'vote' && index < (lastAnswers.get(placeOf(step)) ?? 0);
    return isVoid ? { ...step, isVoid } : step;
  });
}
