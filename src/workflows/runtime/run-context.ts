import { CancellationScope, sleep } from '@temporalio/workflow';
import type { Prepared } from '../../protocol/orchestration.ts';
import type { InStore } from '../../protocol/stored.ts';
import { ModelCaller } from '../agent/model-caller.ts';
import { UsageTracker, type UsageRecord } from '../agent/usage-tracker.ts';
import { Broadcast } from '../ask-others/broadcast.ts';
import { askingOf } from '../ask-others/prompts.ts';
import { Approvals, type ApprovalsRecord } from '../people/approvals.ts';
import { MissingKeys } from '../people/missing-keys.ts';
import type { PendingRequests } from '../people/pending-requests.ts';
import { Questions, type QuestionsRecord } from '../people/questions.ts';
import type { EventLog } from './event-log.ts';
import { notifyOf } from './notifying.ts';
import { belongTo } from './own-store.ts';
import type { RunHandlers } from './run-handlers.ts';
import type { Coordination, Team } from '../../protocol/settings.ts';

/** What all agents of a run share. Each workflow type extends it by a context of its own. */
export interface RunContext {
  events: EventLog;
  handlers: RunHandlers;
  usage: UsageTracker;
  models: ModelCaller;
  requests: PendingRequests;
  questions: Questions;
  keys: MissingKeys;
  approvals: Approvals;
  /** Undefined when agents may not ask others. */
  broadcast: Broadcast | undefined;
  /** What the result names besides, such as models without a known price, and agents whose model has failed. */
  notes: string[];
  /** What did not go as planned, each once. A result with any of it is `degraded` where the outcome knows that word. */
  warnings: string[];
  /** Adds to `warnings`, and tells of it. @param agent whose fault it is */
  warn(text: string, agent?: string): void;
}

/** What the next run of a session takes over from this one, by `continueAsNew`. */
export interface RunRecord {
  questions: Partial<QuestionsRecord>;
  usage: UsageRecord;
  /** The number of questions so far, since their ids are never used twice. */
  requests: number;
  events: number;
  approvals: ApprovalsRecord;
}

interface RunSettings {
  prepared: InStore<Prepared>;
  budget: Team['budget'];
  coordination: Coordination;
  agents: number;
}

export function openRunContext(
  { agents, budget, coordination, prepared }: RunSettings,
  handlers: RunHandlers,
  record: Partial<RunRecord> = {},
): RunContext {
  const { events, messages, requests } = handlers;
  const { permissions, prices, warnings: known } = prepared;
  belongTo(prepared.store);
  handlers.tellEnd = notifyOf(handlers, prepared);
  const usage = new UsageTracker(budget, prices, record.usage);
  startBudget(usage);
  requests.budget = usage;
  const keys = new MissingKeys({ messages, requests, usage });
  const models = new ModelCaller(usage, events.emit, keys);
  const asking = askingOf(coordination, agents);
  const { broadcast_timeout: seconds, max_broadcasts_per_agent: limit, response_depth: depth } = coordination;
  const timeout = seconds * 1000;
  const asks = asking?.mode === 'human';
  const questions = new Questions(requests, events.emit, { asks, timeout }, record.questions);
  const channel = { events, models, questions, requests };
  const broadcast = asking && new Broadcast({ mode: asking.mode, timeout, limit, depth }, channel, record.requests);
  const warnings: string[] = [];
  const warn = (text: string, agent?: string): void => {
    if (!warnings.includes(text)) warnings.push(text);
    events.emit({ type: 'warning', text, ...(agent !== undefined && { agent }) });
  };
  const approvals = new Approvals(permissions, { events, messages, requests, warn }, record.approvals);
  handlers.takeAnswers({ approvals, keys, questions });
  if (record.events === undefined) for (const text of known) events.emit({ type: 'warning', text });
  const people = { requests, questions, keys, approvals, broadcast };
  return { events, handlers, usage, models, ...people, notes: [...known], warnings, warn };
}

/** Has a timer say when the budget of time is used up, whatever else is cancelled. */
function startBudget(usage: UsageTracker): void {
  const left = usage.millisecondsLeft;
  if (!Number.isFinite(left)) return;
  const timer = CancellationScope.nonCancellable(() => sleep(left, { summary: 'budget of time' }));
  void timer.then(() => usage.timeIsUp());
}

/** What a result says did not go as planned. */
export const warningsOf = ({ notes, warnings }: RunContext): string[] => [...notes, ...warnings];

export function recordOf({ approvals, broadcast, events, questions, usage }: RunContext): RunRecord {
  return {
    questions: questions.record,
    usage: usage.record,
    requests: broadcast?.requests ?? 0,
    events: events.count,
    approvals: approvals.record,
  };
}
