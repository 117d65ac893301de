import { Context } from '@temporalio/activity';
import type { Caller } from '../../protocol/agent-state.ts';
import type { GoodCall, Reply, ReplyCall } from '../../protocol/model-call.ts';
import type { CallToolInput, ListedTool, QuickTools } from '../../protocol/tools/tool.ts';
import { readBlobs } from '../../store/resolve.ts';
import { recordQuickRun } from '../../telemetry/calls.ts';
import type { Guard } from '../../trust/guard.ts';
import { jsonBytes } from '../../workflows/runtime/size.ts';
import { createRunTool, type RunTool, type ToolDependencies } from './run-tool.ts';

/** In milliseconds, for all tools of a reply. What takes longer is called by the workflow. */
const maxWaitMs = 2000;

/** In milliseconds, of the call's own time: a reply that is paid for must not be late. */
const reserve = 3000;

/** In milliseconds. A tool that took longer would be run twice, and may cost something. */
const slowMs = 600_000;

/** In bytes, beside a reply of up to 1 MB. */
const resultsBytes = 500_000;

export type RunQuickTools = (reply: Reply, quick: QuickTools, caller: Caller, key: string) => Promise<Reply>;

/**
 * Runs tools within a model's call only where all of the reply are quick: what else it wants may decide whether they
 * are run at all, and in which order. A retry runs them again, which changes nothing.
 */
export function createRunQuickTools(given: ToolDependencies & { guard: Guard }): RunQuickTools {
  const { guard, store } = given;
  const run = createRunTool(given);
  const listOf = readBlobs(store, (text) => JSON.parse(text) as ListedTool[]);
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
    const { list, without = [] } = quick;
    const tools = (await listOf(list)).filter((tool) => !without.includes(tool.name) && !isSlow(tool));
    const wanted = calls.flatMap((call) => {
      const tool = tools.find(({ name }) => name === call.name);
      return tool !== undefined && 'input' in call ? [{ call, tool }] : [];
    });
    const time = timeFor();
    if (calls.length === 0 || wanted.length < calls.length || time <= 0) return reply;
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), time);
    const one = async ({ call, tool }: (typeof wanted)[number]): Promise<GoodCall> => {
      const files = tool.workspace !== undefined && quick.workspace && { workspace: quick.workspace };
      if (end.signal.aborted || (tool.workspace !== undefined && !files)) return call;
      const input = { tool, arguments: call.input, agent: caller.agent, ...files, caller };
      const ended = await ranCall(checked, call, input, `${key}/${call.id}`, end.signal);
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

/** A call that cannot be run here, or takes too long, is left for the workflow. */
async function ranCall(run: RunTool, call: GoodCall, input: CallToolInput, tried: string, signal: AbortSignal) {
  const { cancellationSignal } = Context.current();
  const late = new Promise<'late'>((resolve) => {
    signal.addEventListener('abort', () => resolve('late'), { once: true });
  });
  const start = Date.now();
  const running = run(input, tried, { signal });
  try {
    const ran = await Promise.race([running, late]);
    const status = ran === 'late' ? 'late' : ran.status;
    recordQuickRun({ tool: input.tool, start, end: Date.now(), status });
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

/** As many results as the history takes beside the reply. */
function bounded(calls: GoodCall[]): ReplyCall[] {
  let bytes = 0;
  return calls.map(({ ran, ...call }) => {
    bytes += ran === undefined ? 0 : jsonBytes(ran);
    return ran === undefined || bytes > resultsBytes ? call : { ...call, ran };
  });
}
