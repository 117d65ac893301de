import { Context } from '@temporalio/activity';
import type { Caller } from '../../protocol/agent-state.ts';
import type { GoodCall, Reply, ReplyCall } from '../../protocol/model-call.ts';
import type { ListedTool, QuickTools } from '../../protocol/tools/tool.ts';
import type { Store } from '../../store/store.ts';
import { recordQuickRun } from '../../telemetry/call-attributes.ts';
import type { Guard } from '../../trust/guard.ts';
import { jsonBytes } from '../../workflows/runtime/size.ts';
import { createRunTool, type RunTool, type ToolDependencies } from './run-tool.ts';

/** How long a model's call waits for all tools of its reply, in milliseconds. What takes longer is called by the workflow. */
const maxWaitMs = 2000;

/** How much of the call's own time must be left after that, in milliseconds: a reply that is paid for must not be late. */
const reserve = 3000;

/** For how long a tool that took longer is left to the workflow, in milliseconds: it would be run twice, and may cost something. */
const slowMs = 600_000;

/** How large the results may be together, in bytes, beside a reply of up to 1 MB. */
const resultsBytes = 500_000;

/** Runs the calls of a reply that are all of quick tools, and adds what they have come to. */
export type RunQuickTools = (reply: Reply, quick: QuickTools, caller: Caller, key: string) => Promise<Reply>;

/**
 * Makes the function that runs, within a model's call, the tools that its reply wants. It does so only where all of them are
 * quick: what else a reply wants may decide whether they are run at all, and in which order. A retry of the call finds the
 * reply in the journal, and runs them again, which changes nothing.
 */
export function createRunQuickTools(given: ToolDependencies & { guard: Guard }): RunQuickTools {
  const { guard, store } = given;
  const run = createRunTool(given);
  const listOf = quickLists(store);
  const slow = new Map<string, number>();
  const isSlow = (tool: ListedTool): boolean => Date.now() - (slow.get(idOf(tool)) ?? -Infinity) < slowMs;
  /** A tool of a module must be one that the worker trusts, as in the activity `callTool`. */
  const checked: RunTool = async (input, ...rest) => {
    const { source } = input.tool;
    if ('package' in source) await guard.check('package', source.package, source.seal);
    return run(input, ...rest);
  };

  return async (reply, quick, caller, key) => {
    const { calls } = reply;
    const tools = await listOf(quick);
    const wanted = calls.flatMap((call) => {
      const tool = tools.get(call.name);
      return tool !== undefined && 'input' in call && !isSlow(tool) ? [{ call, tool }] : [];
    });
    const time = timeFor();
    if (calls.length === 0 || wanted.length < calls.length || time <= 0) return reply;
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), time);
    const one = async ({ call, tool }: (typeof wanted)[number]): Promise<GoodCall> => {
      const ended = await ranCall(checked, call, tool, { caller, key, quick, signal: end.signal });
      if (ended.late !== undefined) slow.set(idOf(tool), Date.now());
      return ended;
    };
    try {
      const ran: GoodCall[] = [];
      if (quick.parallel) ran.push(...(await Promise.all(wanted.map(one))));
      else for (const each of wanted) ran.push(await one(each));
      return { ...reply, calls: bounded(ran) };
    } finally {
      clearTimeout(timer);
      end.abort();
    }
  };
}

const idOf = ({ name, original = name, source }: ListedTool): string => JSON.stringify([original, source]);

interface Run {
  caller: Caller;
  key: string;
  quick: QuickTools;
  /** Aborts when the call waits no longer. */
  signal: AbortSignal;
}

/** Runs one call. One that cannot be run here, or takes too long, is left as it is for the workflow. */
async function ranCall(
  run: RunTool,
  call: GoodCall,
  tool: ListedTool,
  { caller, key, quick, signal }: Run,
): Promise<GoodCall> {
  const { cancellationSignal } = Context.current();
  const files = tool.workspace !== undefined && quick.workspace && { workspace: quick.workspace };
  if (signal.aborted || (tool.workspace !== undefined && !files)) return call;
  const late = new Promise<'late'>((resolve) => {
    signal.addEventListener('abort', () => resolve('late'), { once: true });
  });
  const start = Date.now();
  const input = { tool, arguments: call.input, agent: caller.agent, ...files, caller };
  const tried = `${key}/${call.id}`;
  const running = run(input, tried, { signal });
  try {
    const ran = await Promise.race([running, late]);
    const status = ran === 'late' ? 'late' : ran.status;
    recordQuickRun({ tool, start, end: Date.now(), status });
    return { ...call, ...(ran === 'late' ? { late: tried } : { ran }) };
  } catch (error) {
    if (cancellationSignal.aborted) throw error;
    // Such as a variable that the worker lacks: the workflow's own call meets it again, and the run waits for it.
    return call;
  } finally {
    running.catch(() => {});
  }
}

function timeFor(): number {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = Context.current().info;
  const left = scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now();
  return Math.min(maxWaitMs, left - reserve);
}

/** The calls with as many of their results as the history takes beside the reply. */
function bounded(calls: GoodCall[]): ReplyCall[] {
  let bytes = 0;
  return calls.map(({ ran, ...call }) => {
    bytes += ran === undefined ? 0 : jsonBytes(ran);
    return ran === undefined || bytes > resultsBytes ? call : { ...call, ran };
  });
}

/** How many lists are kept. Runs use few of them, and each many times; the oldest goes first. */
const capacity = 100;

/** @returns a function that loads the tools that may be run, by their names */
function quickLists(store: Store): (quick: QuickTools) => Promise<Map<string, ListedTool>> {
  const known = new Map<string, ListedTool[]>();
  return async ({ list, without = [] }) => {
    const tools = known.get(list) ?? (JSON.parse(await store.blob(list)) as ListedTool[]);
    const [oldest] = known.keys();
    if (known.size >= capacity && oldest !== undefined) known.delete(oldest);
    known.set(list, tools);
    return new Map(tools.filter(({ name }) => !without.includes(name)).map((tool) => [tool.name, tool]));
  };
}
