import type { ParameterSchema } from '../../protocol/message.ts';
import { type ApprovalEnd, decisionIn, type Permissions, type ToolDecision } from '../../protocol/tools/permissions.ts';
import type { ListedTool } from '../../protocol/tools/tool.ts';
import { shownArguments } from '../agent/arguments.ts';
import { isAlwaysAllowed, verdictOn } from '../agent/permissions.ts';
import type { EventLog } from '../runtime/event-log.ts';
import type { Messages } from '../runtime/messages.ts';
import { isNext, type PendingRequest, type PendingRequests } from './pending-requests.ts';
import { quoted, textsProblem } from '../runtime/message-problems.ts';
import { type HumanReply, maxMessageChars } from '../../protocol/questions.ts';

type Input = Record<string, unknown>;

/** What has become of a tool call, and what it runs with. `why` it does not run; absent if it does. */
type Approval = { how: ApprovalEnd; input: Input; why?: string; always?: boolean | undefined };

/** What holds for all later calls of a tool. */
type Always = Pick<ToolDecision, 'action' | 'reason'>;

/** What the next run of a session takes over from this one. Nothing waits when a session goes on in a new run. */
export interface ApprovalsRecord {
  /** By the names of tools. */
  always: Record<string, Always>;
  /** How many calls have waited, since ids are never used twice. */
  requested: number;
}

interface ApprovalsRun {
  events: EventLog;
  messages: Messages;
  requests: PendingRequests;
  warn: (text: string) => void;
}

interface Waiting {
  tool: ListedTool;
  input: Input;
  /** Whether a rule may deny it, which does not show. */
  isUnclear: boolean;
  request: PendingRequest<Approval>;
}

/** Decides which tool calls of a run may be made: by its permissions, or by a person, for whom a call waits. */
export class Approvals {
  readonly #permissions: Permissions;
  readonly #run: ApprovalsRun;
  /** By their ids, which count up from `t1`. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #always: Map<string, Always>;
  /** By id, decisions about calls that have yet to be made, and when they came, in the workflow's time. */
  readonly #early = new Map<string, { decision: ToolDecision; at: number }>();
  #requested: number;

  constructor(permissions: Permissions, run: ApprovalsRun, record?: ApprovalsRecord) {
    this.#permissions = permissions;
    this.#run = run;
    this.#always = new Map(Object.entries(record?.always ?? {}));
    this.#requested = record?.requested ?? 0;
  }

  get record(): ApprovalsRecord {
    return { always: Object.fromEntries(this.#always), requested: this.#requested };
  }

  /** Whether a call may be made; undefined, and nothing to wait for, if nobody has to be asked. */
  of(agent: string, tool: ListedTool, input: Input, parameters?: ParameterSchema): Promise<Approval> | undefined {
    const { events, requests, warn } = this.#run;
    const { action, why } = verdictOn(this.#permissions, tool, input);
    if (action === 'allow') return undefined;
    const isUnclear = why === 'unclear';
    const decided = action === 'ask' ? this.#always.get(tool.name) : undefined;
    // What a rule may deny is not allowed by what a person has said of other calls.
    const always = decided?.action === 'allow' && isUnclear ? undefined : decided;
    if (always?.action === 'allow') return undefined;
    if (action === 'ask' && always === undefined && !requests.isSilent('tool'))
      return this.#request(agent, tool, input, isUnclear, parameters);
    const denial = why === 'default' ? 'unattended' : 'rule';
    const kind = action === 'deny' ? denial : always === undefined ? 'silent' : 'person';
    events.emit({ type: 'tool_denied', agent, tool: tool.name, why: kind });
    if (kind === 'unattended')
      warn(`${tool.name} was not run, since nobody is there to allow it: add --yes, or a rule under permissions`);
    const refusalTexts = {
      person: refusedBy(always?.reason),
      rule: ruledOut,
      silent: 'a person did not decide about an earlier call in time',
      unattended: unattended(tool.name),
    };
    return Promise.resolve({ how: 'denied', input, why: refusalTexts[kind] });
  }

  /** @param name of a tool without side effects */
  isAlwaysAllowed(name: string): boolean {
    return isAlwaysAllowed(this.#permissions, name);
  }

  isToCome(id = ''): boolean {
    return isNext('t', id, this.#requested);
  }

  /** One that says nothing understandable, or comes too late, is ignored with a warning. */
  take(decision: ToolDecision | string): void {
    const problem = this.problemWith(decision);
    // Whether the run makes that call next cannot be known yet, and a decision without effect must not be passed over in silence.
    if (problem !== undefined)
      this.#run.messages.ignore('approve', `A decision about a tool call is ignored: ${problem}`);
    if (typeof decision === 'string') return;
    const waiting = this.#waiting.get(decision.id);
    if (waiting === undefined) return this.#keepEarly(decision);
    this.#settle(waiting, decision);
    const { action, always, reason } = decision;
    if (!always || action === 'edit') return;
    this.#always.set(waiting.tool.name, { action, ...(reason !== undefined && { reason }) });
    for (const other of this.#waiting.values())
      if (other.tool.name === waiting.tool.name && !(action === 'allow' && other.isUnclear))
        this.#settle(other, decision);
  }

  /** @param decision in words what is wrong, where it is none */
  problemWith(decision: ToolDecision | string): string | undefined {
    if (typeof decision === 'string') return decision;
    const { id } = decision;
    return this.#waiting.has(id) ? undefined : `no tool call ${id.slice(0, 100)} waits for approval`;
  }

  #request(
    agent: string,
    tool: ListedTool,
    input: Input,
    isUnclear: boolean,
    parameters: ParameterSchema | undefined,
  ): Promise<Approval> {
    const { requests } = this.#run;
    const id = `t${++this.#requested}`;
    const about = { tool: tool.name, arguments: shownArguments(input) };
    const question = `May it run ${tool.name}?`;
    const takes = parameters !== undefined && { parameters };
    const request = requests.open<Approval>(
      { kind: 'tool', questionId: id, from: agent, question, ...about, ...takes },
      {
        timeout: this.#permissions.timeout,
        onTimeout: () => request.close({ how: 'timeout', input, why: 'nobody allowed it in time' }),
        opened: (pending) => ({ type: 'approval_requested', ...pending, ...about }),
        closed: ({ always, how, input: given, why = '' }) => {
          this.#waiting.delete(id);
          const edited = how === 'edited' && { arguments: shownArguments(given) };
          const denied = how === 'denied' && { reason: why };
          const what = { questionId: id, agent, tool: tool.name, how };
          return { type: 'approval_resolved', ...what, ...edited, ...denied, ...(always && { always }) };
        },
      },
    );
    this.#waiting.set(id, { tool, input, isUnclear, request });
    const early = this.#early.get(id);
    this.#early.delete(id);
    if (early?.at === Date.now()) this.take(early.decision);
    const withdraw = (): void => request.close({ how: 'withdrawn', input, why: 'nobody waits for it' });
    return requests.wait(request.end, withdraw, agent);
  }

  /**
   * Keeps a decision for a call that is made in the same moment of the workflow's time, see `isNext`. Nobody has seen a
   * call that is made later.
   */
  #keepEarly(decision: ToolDecision): void {
    const at = Date.now();
    if (this.isToCome(decision.id) && this.#early.get(decision.id)?.at !== at)
      this.#early.set(decision.id, { decision, at });
  }

  #settle({ input, request, tool }: Waiting, { action, always, arguments: edited, reason }: ToolDecision): void {
    if (action === 'deny') return request.close({ how: 'denied', input, why: refusedBy(reason), always });
    if (action === 'allow' || edited === undefined) return request.close({ how: 'allowed', input, always });
    // What a rule refuses is refused to a person too: the rules are those of whoever started the run.
    if (verdictOn({ ...this.#permissions, attended: true }, tool, edited).action === 'deny')
      return request.close({ how: 'denied', input, why: `a person changed the arguments, and ${ruledOut}` });
    request.close({ how: 'edited', input: edited });
  }
}

/** What an agent is told of a call that was not made, behind "not run: ". */
const refusedBy = (reason = ''): string => `a person refused it${reason.trim() === '' ? '' : `: ${reason.trim()}`}`;

const ruledOut = 'the permissions of this run do not allow it';

const unattended = (tool: string): string =>
  'it acts outside of this run, and nobody is there to allow it. Whoever starts a run can allow it by --yes, or by ' +
  `permissions: [{tool: ${tool}, action: allow}] in the configuration`;

/** What a person's words decide about the call that they name, or in words what is wrong with them. An empty answer refuses it. */
export function decisionInWords({ answer, questionId: id = '' }: HumanReply): ToolDecision | string {
  const decision = answer.trim() === '' ? { action: 'deny' as const } : decisionIn(answer);
  if (decision === undefined) return `${id} takes yes, no with a reason, or always, or the signal approve`;
  return { id, ...decision };
}

/** A decision as it came from outside, or in words what is wrong with it. */
export function checkedDecision(payload: unknown): ToolDecision | string {
  const {
    action,
    always,
    arguments: edited,
    id,
    reason,
  } = (payload ?? {}) as Omit<ToolDecision, 'action' | 'always' | 'arguments'> & Record<string, unknown>;
  const form = '{id, action: "allow" | "deny" | "edit", arguments?, reason?, always?}';
  const problem = textsProblem(payload, form, ['id', 'action'], ['reason'], ['always', 'arguments']);
  if (problem !== undefined) return problem;
  if (action !== 'allow' && action !== 'deny' && action !== 'edit')
    return `action: ${quoted(action)} is not one of allow | deny | edit`;
  if (always !== undefined && typeof always !== 'boolean') return `always: ${quoted(always)} is not true or false`;
  if ((reason ?? '').length > maxMessageChars) return `its reason has more than ${maxMessageChars} characters`;
  if ((JSON.stringify(edited) ?? '').length > maxMessageChars)
    return `its arguments have more than ${maxMessageChars} characters`;
  const isObject = typeof edited === 'object' && edited !== null && !Array.isArray(edited);
  if (action === 'edit' && !isObject)
    return `arguments: ${quoted(edited)} is not an object with all that the call is to run with`;
  return {
    id,
    action,
    ...(isObject && { arguments: edited as Record<string, unknown> }),
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  };
}
