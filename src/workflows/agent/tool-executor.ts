import { ActivityFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BlobRef, Text, ToolSpec } from '../../protocol/message.ts';
import type { ToolSources } from '../../config/tool-sources.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import type { RunContext } from '../runtime/run-context.ts';
import type { WorkspaceInput } from '../../protocol/workspace.ts';
import type { CallToolResult, ListedTool, ToolActivities, ToolList, ToolVariant } from '../../protocol/tool.ts';
import { blobRef, namesIn } from './previews.ts';
import { AgentWorkspace } from './workspace.ts';

/** An MCP server may take long to start. */
const { listTools } = proxyActivities<ToolActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
});

/** The result of one tool call. */
export interface ToolAnswer {
  call: ReplyCall;
  status: CallToolResult['status'];
  /** What a person sees. */
  text: string;
  /** What the model gets, by reference if it is long. */
  content: Text;
}

/** What calls of tools need of their run. */
type ToolRun = Pick<RunContext, 'events' | 'keys'>;

type Listed = Omit<ToolList, 'set'> & { set: BlobRef | null };

/** The tools that a worker runs for one agent. */
export class ToolExecutor {
  /** All tools offered to the model, the workflow's own included; null for none. */
  readonly set: BlobRef | null;
  /** The files that its tools have. */
  readonly workspace: AgentWorkspace;
  readonly #agent: string;
  readonly #listed: Listed;
  readonly #tools: Map<string, ListedTool>;
  readonly #run: ToolRun;

  private constructor(agent: string, listed: Listed, run: ToolRun, workspace: AgentWorkspace) {
    this.#agent = agent;
    this.workspace = workspace;
    this.#listed = listed;
    this.set = listed.set;
    this.#tools = new Map(listed.tools.map((tool) => [tool.name, tool]));
    this.#run = run;
  }

  /**
   * Loads and checks an agent's tools.
   *
   * @param own the workflow's own tools, which are listed first in the set
   * @throws `ActivityFailure` when a source cannot be used
   */
  static async open(agent: string, sources: ToolSources, own: ToolSpec[], run: ToolRun): Promise<ToolExecutor> {
    const [executor] = await ToolExecutor.openVariants(agent, sources, [{ own, harmlessOnly: false }], run);
    return executor;
  }

  /**
   * The same for several ways of offering them.
   *
   * @returns one executor for each variant, or only the first ones where the worker of an earlier version has listed them
   */
  static async openVariants(
    agent: string,
    sources: ToolSources,
    [first, ...others]: readonly [ToolVariant, ...ToolVariant[]],
    run: ToolRun,
  ): Promise<[ToolExecutor, ...ToolExecutor[]]> {
    // However they are offered, they are one agent's.
    const workspace = new AgentWorkspace();
    const executorOf = (list: ToolList, own: ToolSpec[]): ToolExecutor => {
      const offered = [...own, ...list.tools];
      const set = offered.length === 0 ? null : blobRef(list.set, namesIn(offered));
      return new ToolExecutor(agent, { ...list, set }, run, workspace);
    };
    if (sources.packages.length + sources.mcpServers.length + first.own.length === 0)
      return [new ToolExecutor(agent, { set: null, tools: [] }, run, workspace)];
    const { harmlessOnly, own } = first;
    const listed = await listTools({
      sources,
      own,
      ...(harmlessOnly && { harmlessOnly }),
      ...(others.length > 0 && { others }),
    });
    const more = (listed.others ?? []).map((list, index) => executorOf(list, others[index]?.own ?? []));
    return [executorOf(listed, own), ...more];
  }

  /** The same tools for another agent, or with other files. */
  of(agent: string, workspace = new AgentWorkspace()): ToolExecutor {
    return new ToolExecutor(agent, this.#listed, this.#run, workspace);
  }

  /** The tools that a worker runs, each with what it does in a line. */
  get described(): Array<{ name: string; description: string }> {
    const { descriptions = [], tools } = this.#listed;
    return tools.map(({ name }, index) => ({ name, description: descriptions[index] ?? '' }));
  }

  /** Whether some of them work on the agent's files. */
  get usesFiles(): boolean {
    return this.#listed.tools.some(({ workspace }) => workspace !== undefined);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Runs one call. It throws only when it is cancelled: every other failure is a result for the agent to see. */
  async call(call: ReplyCall): Promise<ToolAnswer> {
    if ('error' in call) return failed(call, 'error', call.error);
    const tool = this.#tools.get(call.name);
    if (tool === undefined) return failed(call, 'error', `No such tool available: ${call.name}`);
    const { emit } = this.#run.events;
    emit({ type: 'tool', agent: this.#agent, tool: call.name });
    const { status, text, blob } = await this.#call(tool, call.input);
    emit({ type: 'tool_ended', agent: this.#agent, tool: call.name, status });
    if (status !== 'ok') return failed(call, status, text);
    return { call, status, text, content: blob === undefined ? text : blobRef(blob, text) };
  }

  async #call(tool: ListedTool, input: Record<string, unknown>): Promise<CallToolResult> {
    const agent = this.#agent;
    const call = (workspace?: WorkspaceInput): Promise<CallToolResult> => {
      const given = { tool, arguments: input, agent, ...(workspace !== undefined && { workspace }) };
      return this.#run.keys.orWait(agent, () => activityFor(tool, agent)(given));
    };
    try {
      return await (tool.workspace === undefined ? call() : this.workspace.use(call));
    } catch (error) {
      if (!(error instanceof ActivityFailure) || error.cause?.name === 'CancelledFailure') throw error;
      return { status: 'exception', text: error.cause?.message ?? error.message };
    }
  }
}

function failed(call: ReplyCall, status: 'error' | 'exception', message: string): ToolAnswer {
  const text = `${status === 'error' ? 'Error' : 'Exception'}: ${message}`;
  return { call, status, text, content: text };
}

function activityFor(tool: ListedTool, agent: string): ToolActivities['callTool'] {
  // Without side effects a call may be repeated freely, which saves the round trip through the Temporal server.
  if (tool.sideEffects === 'none') return proxyLocalActivities<ToolActivities>(localToolOptions(tool)).callTool;
  const summary = `${agent} · tool · ${tool.name}`;
  return proxyActivities<ToolActivities>({ ...callToolOptions(tool), summary }).callTool;
}

export const hasTools = ({ mcpServers, packages }: ToolSources): boolean => packages.length + mcpServers.length > 0;

/** How long a worker may be silent before another one takes over its calls, in milliseconds. */
const silenceMs = 15_000;

/** Time beside the tool's own, to start an MCP server again or to store the result. In milliseconds. */
const besidesMs = 45_000;

/**
 * The options of the activity `callTool` for a tool whose timeout is in seconds. A call is retried only when its worker
 * died or could not store the result: whatever the tool itself does is a result.
 */
export function callToolOptions({ timeout }: Pick<ListedTool, 'timeout'>) {
  return {
    startToCloseTimeout: timeout * 1000 + besidesMs,
    heartbeatTimeout: silenceMs,
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000, maximumAttempts: 8 },
  };
}

/** The options for a tool that runs as a local activity, which has no heartbeats. */
function localToolOptions({ timeout }: Pick<ListedTool, 'timeout'>) {
  return { startToCloseTimeout: timeout * 1000 + besidesMs, retry: { maximumAttempts: 3 } };
}
