import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { RunEventBody } from '../../protocol/events.ts';
import { decisionIn, type LeaveHow, type Permissions, type ToolDecision } from '../../protocol/permissions.ts';
import { messageRoom, type HumanReply, type PendingQuestion } from '../../protocol/questions.ts';
import type { ListedTool } from '../../protocol/tool.ts';
import type { WaitTime } from '../runtime/clock.ts';
import type { MissingKeys } from '../runtime/missing-keys.ts';
import { mostEarly } from '../ask-others/human-input-queue.ts';
import { shownArguments } from './arguments.ts';
import { isAlwaysAllowed, verdictOn } from './permissions.ts';
import type { UsageTracker } from './usage-tracker.ts';

type Input = Record<string, unknown>;

/** Whether a tool call runs, and with which arguments. `isEdited`: a person has given them. */
export type Leave = { runs: true; input: Input; isEdited: boolean } | { runs: false; why: string };

/** What holds for all later calls of a tool. */
type Always = Pick<ToolDecision, 'action' | 'reason'>;

/** What the next run of a session takes over from this one. Nothing waits when a session goes on in a new run. */
export interface LeaveRecord {
  /** By the names of tools. */
  always: Record<string, Always>;
  /** How many calls have been asked for, since ids are never used twice. */
  asked: number;
}

interface Waiting {
  pending: PendingQuestion;
  tool: ListedTool;
  input: Input;
  /** Whether a rule may deny it, which does not show. */
  isUnclear: boolean;
  settle: (how: LeaveHow, leave: Leave, always?: boolean) => void;
}

interface LeaveRun {
  usage: UsageTracker;
  /** The time that the run waits for a person, whatever for. */
  waits: WaitTime;
  keys: MissingKeys;
  emit: (event: RunEventBody) => void;
  /** Tells that a person's message had no effect. */
  ignore: (text: string) => void;
  warn: (text: string, agent?: string) => void;
}

/**
 * Decides which tool calls of a run may be made: by its permissions, and where they say so by a person, for whom a call
 * waits. Several calls may wait at a time, in the order in which they were made.
 */
export class LeaveDesk {
  readonly #permissions: Permissions;
  readonly #run: LeaveRun;
  readonly #waiting = new Map<string, Waiting>();
  readonly #always: Map<string, Always>;
  /** By id, decisions about calls that have yet to be made, which came at `#earlyAt`, the workflow's time. */
  readonly #early = new Map<string, ToolDecision>();
  #earlyAt = 0;
  #asked: number;
  /** Whether the person has let a call's time run out, and has given no sign since. Nothing is put to them meanwhile. */
  #isSilent = false;

  constructor(permissions: Permissions, run: LeaveRun, record?: LeaveRecord) {
    this.#permissions = permissions;
    this.#run = run;
    this.#always = new Map(Object.entries(record?.always ?? {}));
    this.#asked = record?.asked ?? 0;
  }

  get record(): LeaveRecord {
    return { always: Object.fromEntries(this.#always), asked: this.#asked };
  }

  /** The calls that wait for a person. */
  get pending(): PendingQuestion[] {
    return [...this.#waiting.values()].map(({ pending }) => pending);
  }

  /** Whether a call may be made; undefined, and nothing to wait for, if it needs no leave. */
  of(agent: string, tool: ListedTool, input: Input): Promise<Leave> | undefined {
    const { action, why } = verdictOn(this.#permissions, tool, input);
    if (action === 'allow') return undefined;
    const isUnclear = why === 'unclear';
    const decided = action === 'ask' ? this.#always.get(tool.name) : undefined;
    // What a rule may deny is not allowed by what a person has said of other calls.
    const always = decided?.action === 'allow' && isUnclear ? undefined : decided;
    if (always?.action === 'allow') return undefined;
    if (action === 'ask' && always === undefined && !this.#isSilent) return this.#ask(agent, tool, input, isUnclear);
    const denial = why === 'default' ? 'unattended' : 'rule';
    const kind = action === 'deny' ? denial : always === undefined ? 'silent' : 'person';
    this.#run.emit({ type: 'tool_denied', agent, tool: tool.name, why: kind });
    if (kind === 'unattended') this.#tellUnattended(tool.name);
    const told = {
      person: refusedBy(always?.reason),
      rule: ruledOut,
      silent: 'a person did not decide about an earlier call in time',
      unattended: unattended(tool.name),
    };
    return Promise.resolve({ runs: false, why: told[kind] });
  }

  /** Whether every call of a tool may be made, whatever its arguments. @param name of one that has no side effects */
  isAlwaysAllowed(name: string): boolean {
    return isAlwaysAllowed(this.#permissions, name);
  }

  /** Notes that the person is there, so that calls are put to them again. */
  personIsThere(): void {
    this.#isSilent = false;
  }

  /** Takes a person's decision. One that says nothing understandable, or comes too late, is ignored with a warning. */
  approve(payload: unknown): void {
    const decision = checkedDecision(payload);
    if (typeof decision === 'string') return this.#ignore(decision);
    const waiting = this.#waiting.get(decision.id);
    if (waiting === undefined) {
      // Whether the run makes that call next cannot be known yet, and a decision without effect must not be passed over in silence.
      this.#keepEarly(decision);
      return this.#ignore(noCall(decision.id));
    }
    this.#settle(waiting, decision);
    const { action, always, reason } = decision;
    if (!always || action === 'edit') return;
    this.#always.set(waiting.tool.name, { action, ...(reason !== undefined && { reason }) });
    for (const other of this.#waiting.values())
      if (other.tool.name === waiting.tool.name && !(action === 'allow' && other.isUnclear))
        this.#settle(other, decision);
  }

  /** Why a decision would have no effect at present; undefined if it would have one. */
  refusal(payload: unknown): string | undefined {
    const decision = checkedDecision(payload);
    if (typeof decision === 'string') return decision;
    return this.#waiting.has(decision.id) ? undefined : noCall(decision.id);
  }

  /** Takes a person's words if they name a call that waits. An empty answer refuses it. @returns whether they do */
  answer({ answer, questionId: id }: HumanReply): boolean {
    if (id === undefined || !(this.#waiting.has(id) || this.#isToCome(id))) return false;
    const decision = answer.trim() === '' ? { action: 'deny' as const } : decisionIn(answer);
    if (decision !== undefined) this.approve({ id, ...decision });
    else this.#ignore(leaveAnswer(id));
    return true;
  }

  #ask(agent: string, tool: ListedTool, input: Input, isUnclear: boolean): Promise<Leave> {
    const { emit, keys, usage, waits } = this.#run;
    const id = `t${++this.#asked}`;
    const now = Date.now();
    const timeout = this.#permissions.timeout ?? Infinity;
    const ofBudget = usage.millisecondsLeft;
    const left = Math.min(timeout, ofBudget);
    const pending: PendingQuestion = {
      kind: 'tool',
      questionId: id,
      from: agent,
      question: `May it run ${tool.name}?`,
      tool: tool.name,
      arguments: shownArguments(input),
      askedAt: new Date(now).toISOString(),
      expiresAt: Number.isFinite(left) ? new Date(now + left).toISOString() : null,
    };
    const clocks = [waits, keys.waitsOf(agent)];
    const timer = new CancellationScope();
    const end = Promise.withResolvers<Leave>();
    const settle: Waiting['settle'] = (how, leave, always = false) => {
      this.#waiting.delete(id);
      timer.cancel();
      for (const clock of clocks) clock.end();
      end.resolve(leave);
      emit({
        type: 'leave_ended',
        questionId: id,
        agent,
        tool: tool.name,
        how,
        ...(how === 'edited' && leave.runs && { arguments: shownArguments(leave.input) }),
        ...(how === 'denied' && !leave.runs && { reason: leave.why }),
        ...(always && { always }),
      });
    };
    for (const clock of clocks) clock.begin();
    this.#waiting.set(id, { pending, tool, input, isUnclear, settle });
    const { kind: _, ...asked } = pending;
    emit({ type: 'leave_asked', ...asked, tool: tool.name, arguments: asked.arguments ?? '' });
    const expire = (): void => {
      // This timer and the budget's own may fire in either order.
      if (ofBudget < timeout) usage.timeIsUp();
      this.#expire(id);
    };
    if (Number.isFinite(left))
      timer.run(() => sleep(left, { summary: `leave ${id} of ${agent}` })).then(expire, () => {});
    const early = this.#earlyAt === now ? this.#early.get(id) : undefined;
    if (early !== undefined) this.approve(early);
    return this.#awaited(id, end.promise);
  }

  /** Whether it is the id of one of the next calls. */
  #isToCome(id: string): boolean {
    const number = Number(/^t([1-9]\d{0,8})$/.exec(id)?.[1] ?? 0);
    return number > this.#asked && number <= this.#asked + mostEarly;
  }

  /**
   * Keeps a decision for a call that is made in the same moment of the workflow's time: a query has shown it where a worker
   * has died, see `isEarly` in ask-others/human-input-queue.ts. Nobody has seen a call that is made later.
   */
  #keepEarly(decision: ToolDecision): void {
    const now = Date.now();
    if (this.#earlyAt !== now) this.#early.clear();
    this.#earlyAt = now;
    if (this.#isToCome(decision.id) && !this.#early.has(decision.id)) this.#early.set(decision.id, decision);
  }

  #expire(id: string): void {
    this.#isSilent = true;
    this.#waiting.get(id)?.settle('timeout', { runs: false, why: 'nobody allowed it in time' });
  }

  /** Waits for a decision, unless whoever called the tool is cancelled. */
  async #awaited(id: string, end: Promise<Leave>): Promise<Leave> {
    try {
      return await Promise.race([end, CancellationScope.current().cancelRequested]);
    } catch (error) {
      if (isCancellation(error))
        this.#waiting.get(id)?.settle('withdrawn', { runs: false, why: 'nobody waits for it' });
      throw error;
    }
  }

  #settle({ input, settle, tool }: Waiting, { action, always, arguments: edited, reason }: Omit<ToolDecision, 'id'>) {
    if (action === 'deny') return settle('denied', { runs: false, why: refusedBy(reason) }, always);
    if (action === 'allow' || edited === undefined)
      return settle('allowed', { runs: true, input, isEdited: false }, always);
    // What a rule refuses is refused to a person too: the rules are those of whoever started the run.
    if (verdictOn({ ...this.#permissions, attended: true }, tool, edited).action === 'deny')
      return settle('denied', { runs: false, why: `a person changed the arguments, and ${ruledOut}` });
    return settle('edited', { runs: true, input: edited, isEdited: true });
  }

  #tellUnattended(tool: string): void {
    const text = `${tool} was not run, since nobody is there to allow it: add --yes, or a rule under permissions`;
    this.#run.warn(text);
  }

  #ignore(why: string): void {
    this.#run.ignore(`A decision about a tool call is ignored: ${why}`);
  }
}

const noCall = (id: string): string => `no tool call ${id.slice(0, 100)} waits for leave`;

/** How a call that waits for leave is answered. */
export const leaveAnswer = (id: string): string =>
  `${id} takes yes, no with a reason, or always, or the signal approve`;

/** What an agent is told of a call that was not made, behind "not run: ". */
const refusedBy = (reason = ''): string => `a person refused it${reason.trim() === '' ? '' : `: ${reason.trim()}`}`;

const ruledOut = 'the permissions of this run do not allow it';

const unattended = (tool: string): string =>
  'it acts outside of this run, and nobody is there to allow it. Whoever starts a run can allow it by --yes, or by ' +
  `permissions: [{tool: ${tool}, action: allow}] in the configuration`;

/** A decision as it came from outside, or in words what is wrong with it. */
function checkedDecision(payload: unknown): ToolDecision | string {
  const {
    action,
    always,
    arguments: edited,
    id,
    reason,
  } = (payload ?? {}) as Partial<Record<keyof ToolDecision, unknown>>;
  if (typeof id !== 'string') return 'a signal approve is {id, action: "allow" | "deny" | "edit", …}';
  if (action !== 'allow' && action !== 'deny' && action !== 'edit') return 'its action is one of allow, deny, edit';
  if (reason !== undefined && typeof reason !== 'string') return 'its reason is a text';
  if (always !== undefined && typeof always !== 'boolean') return 'its always is true or false';
  if ((reason ?? '').length > messageRoom) return `its reason has more than ${messageRoom} characters`;
  if ((JSON.stringify(edited) ?? '').length > messageRoom)
    return `its arguments have more than ${messageRoom} characters`;
  const isMapping = typeof edited === 'object' && edited !== null && !Array.isArray(edited);
  if (action === 'edit' && !isMapping) return 'edit needs arguments: an object with all that the call runs with';
  return {
    id,
    action,
    ...(isMapping && { arguments: edited as Input }),
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  };
}
