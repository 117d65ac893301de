import type { AgentState } from '../../protocol/agent-state.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import type { TextRef } from '../../protocol/message.ts';
import type { Backend } from '../../protocol/settings.ts';
import { askCallOf } from '../ask-others/ask-call.ts';
import type { AskingAgent, Broadcast } from '../ask-others/broadcast.ts';
import type { RunContext } from '../runtime/run-context.ts';
import { Agent, type Opening } from './agent.ts';
import { accepted, replyBy } from './prompts.ts';
import type { ToolExecutor } from './tool-executor.ts';
import type { Purpose } from './model-caller.ts';

/** What was read from a reply. With `error` the reply is to be repaired; its `value` is used if that does not succeed. */
export interface Read<T> {
  value?: T;
  error?: string;
}

/** What a reply has to be: a call of one tool. */
export interface OutputSpec<T> {
  tool: string;
  /** Reads the call's arguments, which fit the tool's schema. */
  read(input: Record<string, unknown>): Read<T>;
  readText(text: string): Read<T>;
}

export interface StructuredResult<T> {
  /** Undefined when no reply had a value. */
  value: T | undefined;
  /** What was wrong with the last reply; undefined when nothing was. */
  error: string | undefined;
  /** Names a text by reference: an argument of the call, or the whole reply if there was no call. */
  place: (argument: string) => TextRef;
  /** Whether the reply with the value was cut off at the model's limit of tokens. */
  isCut: boolean;
}

export interface StructuredAgent extends AskingAgent {
  /** Undefined when it may not ask a person. */
  broadcast: Broadcast | undefined;
  working: RoleRun['working'];
  tools?: ToolExecutor | undefined;
}

/** A run whose agents have roles. */
export interface RoleRun extends Pick<RunContext, 'broadcast' | 'models'> {
  /** What those are doing who are at work, by their ids. */
  working: Map<string, AgentState>;
  conversations: Map<string, Agent>;
}

/** Gives a role a fresh conversation. */
export function newRole(
  { broadcast, conversations, models, working }: RoleRun,
  id: string,
  backend: Backend,
  opening: Pick<Opening, 'system' | 'tools'> & Partial<Opening>,
): StructuredAgent {
  const agent = new Agent({ id, text: undefined, backend }, models, { transcript: null, messages: [], ...opening });
  conversations.set(id, agent);
  return { id, agent, conversation: id, asking: 0, broadcast, working };
}

export async function atWork<T>(
  { working }: Pick<RoleRun, 'working'>,
  id: string,
  state: AgentState,
  work: () => Promise<T>,
): Promise<T> {
  working.set(id, state);
  try {
    return await work();
  } finally {
    working.delete(id);
  }
}

const mostRepairs = 2;

/** How many replies may ask a person, or use tools, before there is a structured one. */
const mostRounds = 10;

/**
 * Asks for a structured reply, and for a repair of one that does not fit.
 *
 * @param state what the agent is shown to be doing meanwhile, except while it asks a person
 * @param isHeld whether a model that does not call by itself is held to the call from the start
 */
export function structured<T>(
  asker: StructuredAgent,
  state: AgentState,
  purpose: Purpose,
  spec: OutputSpec<T>,
  isHeld = asker.agent.callsBySchema,
): Promise<StructuredResult<T>> {
  return atWork(asker, asker.id, state, async () => {
    const { agent, broadcast, id, tools, working } = asker;
    const own = tools?.described.map(({ name }) => name) ?? [];
    const choice = { oneOf: [spec.tool, ...own, ...(broadcast === undefined ? [] : ['ask_others'])] };
    let last: StructuredResult<T> | undefined;
    let bySchema = isHeld ? [spec.tool] : undefined;
    for (let repairs = 0, rounds = 0; ;) {
      const { calls, content, finish } = await agent.reply(purpose, { choice, bySchema });
      const isBySchema = bySchema !== undefined;
      if (calls.length === 0) bySchema = [spec.tool];
      const asks = broadcast === undefined ? [] : calls.filter(({ name }) => name === 'ask_others');
      const uses = calls.filter(({ name }) => tools?.has(name));
      if (asks.length + uses.length > 0 && rounds < mostRounds) {
        rounds += 1;
        for (const call of calls)
          if (!asks.includes(call) && !uses.includes(call)) agent.answerCall(call.id, replyBy(spec.tool));
        for (const call of uses) {
          const used = await tools?.call(call);
          agent.answerCall(call.id, used?.content ?? '', used?.images);
        }
        if (asks.length === 0) continue;
        working.set(id, 'asking');
        await broadcast?.answerCalls(asker, asks.map(askCallOf), [], purpose.when);
        working.set(id, state);
        continue;
      }
      const call = calls.find((each) => each.name === spec.tool && !('error' in each));
      const read = readReply(spec, calls, call, content);
      const segment = agent.transcript?.id ?? '';
      const given: StructuredResult<T> = {
        value: read.value ?? last?.value,
        error: read.error,
        place: (argument) => (call === undefined ? { segment } : { segment, call: { id: call.id, argument } }),
        isCut: finish === 'length',
      };
      last = read.value === undefined && last !== undefined ? { ...last, error: read.error } : given;
      // What a schema has not brought to an end within the limit of a reply, it will not the next time either.
      const isEndless = isBySchema && calls.length === 0 && finish === 'length';
      const isLast = read.error === undefined || repairs === mostRepairs || isEndless;
      for (const each of calls)
        agent.answerCall(each.id, each === call && isLast ? accepted : errorFor(each, read, spec));
      if (isLast) return last;
      repairs += 1;
      if (calls.length === 0) agent.tell({ role: 'user', content: `${read.error}\n${replyBy(spec.tool)}` });
    }
  });
}

function readReply<T>(spec: OutputSpec<T>, calls: ReplyCall[], call: ReplyCall | undefined, content: string): Read<T> {
  if (call !== undefined && 'input' in call) return spec.read(call.input);
  if (calls.length === 0) return spec.readText(content);
  const [broken] = calls.flatMap((each) => ('error' in each ? [each.error] : []));
  return { error: broken ?? replyBy(spec.tool) };
}

function errorFor<T>(call: ReplyCall, { error }: Read<T>, { tool }: OutputSpec<T>): string {
  if ('error' in call) return `Error: ${call.error}`;
  return error === undefined || call.name !== tool ? replyBy(tool) : `Error: ${error}`;
}
