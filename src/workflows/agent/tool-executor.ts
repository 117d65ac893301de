import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { fileTools } from '../../protocol/attachment.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { BlobRef, Content, ImageRef, ToolSpec } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import type { RunContext } from '../runtime/run-context.ts';
import type { WorkspaceInput } from '../../protocol/workspace.ts';
import type { InputGiven } from '../../protocol/tools/elicitation.ts';
import type {
  CallToolInput,
  CallToolResult,
  ListedTool,
  QuickTools,
  ToolList,
  ToolStatus,
  ToolVariant,
} from '../../protocol/tools/tool.ts';
import { shortened } from '../runtime/size.ts';
import { activityFailure, failureReason } from './failures.ts';
import { callerOf } from '../runtime/tracing.ts';
import { joinContent } from './text.ts';
import { blobRef, namesIn } from './previews.ts';
import { editedText } from './prompts.ts';
import { quickTools } from './permissions.ts';
import { withInput } from './tool-input.ts';
import { AgentWorkspace } from './workspace.ts';
import type { ToolSources } from '../../protocol/settings.ts';
import type { Activities } from '../../protocol/activities.ts';

/** An MCP server may take long to start. */
const { listTools } = proxyActivities<Activities>({ startToCloseTimeout: '2 minutes', retry: { maximumAttempts: 3 } });

/** A run that goes on has had them, and waits until they are there again. */
const { listTools: listAgain } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumInterval: '1 minute' },
  summary: 'tools',
});

/** How many characters of a call's arguments, and of its result, its events tell. */
const maxChars = 300;

export interface ToolAnswer {
  call: ReplyCall;
  status: ToolStatus;
  /** What a person sees. */
  text: string;
  /** What the model gets, by reference if it is long. */
  content: Content;
  images?: ImageRef[];
  /** Whether it was refused before its tool ran; absent if not. */
  isRefused?: true;
}

type ToolRun = Pick<RunContext, 'events' | 'keys' | 'approvals' | 'models'> & Partial<Pick<RunContext, 'broadcast'>>;

/** `slow`: the names of tools that took too long to be run within a model's call. */
type Listed = Omit<ToolList, 'set'> & { set: BlobRef | null; slow: Set<string> };

/** The tools that a worker runs for one agent. */
export class ToolExecutor {
  /** All tools offered to the model, the workflow's own included; null for none. */
  readonly set: BlobRef | null;
  readonly workspace: AgentWorkspace;
  readonly #agent: string;
  readonly #listed: Listed;
  readonly #run: ToolRun;

  private constructor(agent: string, listed: Listed, run: ToolRun, workspace: AgentWorkspace) {
    this.#agent = agent;
    this.workspace = workspace;
    this.#listed = listed;
    this.set = listed.set;
    this.#run = run;
  }

  /** @param own the workflow's own tools, which come first @throws `ActivityFailure` when a source cannot be used */
  static async open(agent: string, sources: ToolSources, own: ToolSpec[], run: ToolRun): Promise<ToolExecutor> {
    const [executor] = await ToolExecutor.openVariants(agent, sources, [{ own, readOnly: false }], run);
    return executor;
  }

  /** The same for several ways of offering them. @returns one executor for each */
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
      return new ToolExecutor(agent, { ...list, set, slow: new Set() }, run, workspace);
    };
    if (!hasTools(sources) && first.own.length === 0)
      return [executorOf({ set: '', tools: [], descriptions: [], parameters: {} }, [])];
    const { readOnly, own } = first;
    const variants = others.length > 0 && { others };
    const wanted = { sources, own, ...(readOnly && { readOnly }), ...variants };
    const goesOn = workflowInfo().continuedFromExecutionRunId !== undefined;
    const listed = await (goesOn ? listAgain({ ...wanted, goesOn }) : listTools(wanted));
    const more = (listed.others ?? []).map((list, index) => executorOf(list, others[index]?.own ?? []));
    return [executorOf(listed, own), ...more];
  }

  /** The same tools for another agent, or with other files. */
  of(agent: string, workspace = new AgentWorkspace()): ToolExecutor {
    return new ToolExecutor(agent, this.#listed, this.#run, workspace);
  }

  get described(): Array<{ name: string; description: string }> {
    const { descriptions, tools } = this.#listed;
    return tools.map(({ name }, index) => ({ name, description: descriptions[index] ?? '' }));
  }

  /** Whether some of them work on the agent's files. Those for attachments read them where there are any. */
  get usesFiles(): boolean {
    return this.#listed.tools.some(
      ({ source, workspace }) => workspace !== undefined && !('package' in source && source.package === fileTools),
    );
  }

  /** The tools that a model's call may run. @param parallel whether those of one reply run side by side */
  quick(parallel: boolean): QuickTools | undefined {
    const { quick, slow, tools } = this.#listed;
    const isKept = (name: string): boolean => slow.has(name) || !this.#run.approvals.isAlwaysAllowed(name);
    const some = quickTools(quick, tools, isKept);
    if (some === undefined) return undefined;
    const reads = tools.some(({ workspace }) => workspace === 'reads');
    return { ...some, ...(parallel && { parallel }), ...(reads && { workspace: this.workspace.input }) };
  }

  has(name: string): boolean {
    return this.#listed.tools.some((tool) => tool.name === name);
  }

  /** Runs one call. It throws only when it is cancelled: every other failure is a result for the agent to see. */
  async call(call: ReplyCall): Promise<ToolAnswer> {
    if ('error' in call) return refused(call, call.error);
    const tool = this.#listed.tools.find(({ name }) => name === call.name);
    if (tool === undefined) return refused(call, `No such tool available: ${call.name}`);
    const { approvals, events } = this.#run;
    const asked = approvals.of(this.#agent, tool, call.input, this.#listed.parameters[call.name]);
    const given = asked && (await asked);
    if (given?.why !== undefined) return refused(call, `not run: ${given.why}`);
    const input = given?.input ?? call.input;
    const edited = given?.how === 'edited' && { edited: true as const };
    const about = { agent: this.#agent, tool: call.name, id: call.id };
    events.emit({ type: 'tool', ...about, arguments: shortened(JSON.stringify(input), maxChars) });
    const { late, ran } = call;
    if (late !== undefined) this.#listed.slow.add(call.name);
    const tried = late !== undefined && { tried: late };
    const result = ran === undefined ? await this.#call(tool, input, { ...tried, ...edited }) : ended(ran);
    const { status, text } = result;
    events.emit({ type: 'tool_ended', ...about, status, result: shortened(text, maxChars) });
    const answer = answerOf(call, result);
    return edited ? editedAnswer(answer, input) : answer;
  }

  async #call(
    tool: ListedTool,
    input: Record<string, unknown>,
    how: Pick<CallToolInput, 'edited' | 'tried'>,
  ): Promise<Ended> {
    const agent = this.#agent;
    const { broadcast, keys, models } = this.#run;
    // Only a server asks, and only where there is a person who may be asked.
    const person = 'mcp' in tool.source && broadcast?.settings.mode === 'human' ? broadcast : undefined;
    const call = async (more: { workspace?: WorkspaceInput; input?: InputGiven }): Promise<CallToolResult> => {
      const caller = callerOf(agent);
      const asks = person && { asks: true as const };
      const given = { tool, arguments: input, agent, ...asks, ...how, ...more, caller };
      const { callTool } = proxyActivities<Activities>({
        ...callToolOptions(tool),
        summary: `${agent} · tool · ${tool.name}`,
      });
      const result = await keys.orWait(agent, () => callTool(given));
      models.searched(result.usage);
      return result;
    };
    try {
      if (tool.workspace !== undefined) return ended(await this.workspace.use((workspace) => call({ workspace })));
      const first = await call({});
      if (first.input === undefined || person === undefined) return ended(first);
      const again = (given: InputGiven): Promise<CallToolResult> => call({ input: given });
      return ended(await withInput({ agent, tool, again }, person, first.input));
    } catch (error) {
      // The worker may not do what it was asked for (src/trust).
      const isRefused = activityFailure(error, failureTypes.notAllowed) !== undefined && { isRefused: true as const };
      return { status: 'exception', text: failureReason(error), ...isRefused };
    }
  }
}

type Ended = Omit<CallToolResult, 'status'> & Pick<ToolAnswer, 'isRefused'> & { status: ToolStatus };

const ended = ({ status, ...result }: CallToolResult): Ended => ({
  ...result,
  status: status === 'input_required' ? 'error' : status,
});

function answerOf(call: ReplyCall, { status, text, blob, images, isRefused }: Ended): ToolAnswer {
  if (status !== 'ok') return { ...failed(call, status, text), ...(isRefused && { isRefused }) };
  const content = blob === undefined ? text : blobRef(blob, text);
  return { call, status, text, content, ...(images !== undefined && { images }) };
}

function failed(call: ReplyCall, status: 'error' | 'exception', message: string): ToolAnswer {
  const text = `${status === 'error' ? 'Error' : 'Exception'}: ${message}`;
  return { call, status, text, content: text };
}

export const refused = (call: ReplyCall, why: string): ToolAnswer => ({
  ...failed(call, 'error', why),
  isRefused: true,
});

/** The result of a call that ran with a person's arguments, which the agent is told. */
function editedAnswer({ call, content, text, ...rest }: ToolAnswer, input: Record<string, unknown>): ToolAnswer {
  const note = editedText(input);
  const changed = { id: call.id, name: call.name, input };
  return { ...rest, call: changed, text: text + note, content: joinContent([content, note]) };
}

export const hasTools = ({ mcpServers, packages }: ToolSources): boolean => packages.length + mcpServers.length > 0;

/**
 * Time beside the tool's own, to start an MCP server again, and to keep the result in hand until the store takes it: what the tool
 * has done may have cost something, and must not be done again. In milliseconds.
 */
const besidesMs = 1_800_000;

/**
 * The options of the activity `callTool` for a tool whose timeout is in seconds. A call is retried only when its worker
 * died or could not store the result: whatever the tool itself does is a result.
 */
export const callToolOptions = ({ timeout }: Pick<ListedTool, 'timeout'>) => ({
  startToCloseTimeout: timeout * 1000 + besidesMs,
  heartbeatTimeout: 15_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000, maximumAttempts: 8 },
});
