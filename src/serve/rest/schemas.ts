import { z } from 'zod';
import type { Stats } from '../../client/aggregate.ts';
import type { InboxQuestion } from '../../client/inbox.ts';
import type { ListedRun } from '../../client/list.ts';
import type { RunRecord, RunStatus } from '../../client/show/show.ts';
import type { PendingCall } from '../../client/snapshot.ts';
import type { RunDescription } from '../../client/way.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { State } from '../../protocol/state.ts';
import type { HumanAnswer, OrchestrationResult, Vote } from '../../protocol/orchestration.ts';
import type { SolveResult, SubtaskReport } from '../../protocol/plan-and-execute.ts';
import type { Iteration, Report, ResearchResult } from '../../protocol/research.ts';
import type { SessionResult, TurnResult } from '../../protocol/session.ts';
import type { Figures, Usage } from '../../protocol/usage.ts';
import type { AttemptFiles, RunFiles } from '../../protocol/workspace.ts';
import type { RunResult } from '../../protocol/state.ts';

/** A type with all its properties at hand, as whatever may have more of them is compared. */
type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

/**
 * The description of a type in the OpenAPI document, under a name. It may leave out what only some of its values have, and says
 * of the rest no more than is so: where a value of the type might not fit, it does not compile.
 */
export const described =
  <T>() =>
  <S extends z.ZodType>(name: string, schema: S & (Plain<T> extends z.output<S> ? unknown : never)): S =>
    schema.meta({ id: name });

const object =
  <T>() =>
  <S extends z.ZodRawShape>(name: string, shape: S & (Plain<T> extends z.output<z.ZodObject<S>> ? unknown : never)) =>
    z.object<S>(shape).meta({ id: name });

const text = z.string();
const texts = z.array(text);
const count = z.int().min(0);

const figures = z.object({
  calls: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  costUsd: z.number().describe('US dollars; 0 for models without a known price.'),
  estimated: z.boolean().optional(),
});

const figuresSchema = described<Figures>()('Figures', figures);

const usageSchema = described<Usage>()('Usage', figures.extend({ byAgent: z.record(z.string(), figuresSchema) }));

const filesSchema = object<RunFiles>()('RunFiles', {
  tree: text.nullable(),
  files: count,
  bytes: count,
  count: count.describe('How many were made, changed or removed.'),
  added: texts,
  changed: texts,
  removed: texts,
});

const common = { outcome: text, warnings: texts, usage: usageSchema, events: count };

const humanQa = z.array(object<HumanAnswer>()('HumanAnswer', { question: text, answer: text }));

const orchestration = object<OrchestrationResult>()('OrchestrationResult', {
  workflow: z.literal('orchestration'),
  answer: text,
  finalAgent: text,
  attempts: count,
  restarts: z.array(z.object({ attempt: count, reason: text, instructions: text })),
  votes: z.array(
    described<Vote>()('Vote', z.object({ voter: text, agent: text, reason: text, attempt: count.optional() })),
  ),
  ...common,
  outcome: z.enum(['submitted', 'restart_limit', 'timeout', 'budget', 'degraded', 'cancelled']),
  humanQa,
  workspace: filesSchema.optional(),
  snapshots: z
    .array(
      described<AttemptFiles>()(
        'AttemptFiles',
        z.object({ attempt: count, agents: z.record(z.string(), text.nullable()) }),
      ),
    )
    .optional(),
});

const session = object<SessionResult>()('SessionResult', {
  workflow: z.literal('session'),
  answer: text,
  messages: texts,
  turns: count,
  ...common,
  outcome: z.enum(['answered', 'limit', 'budget', 'cancelled']),
  humanQa,
  workspace: filesSchema.optional(),
});

const iteration = object<Iteration>()('Iteration', {
  iteration: count,
  idea: text,
  score: z.number().nullable(),
  verdict: text.nullable(),
  restartReason: text.nullable(),
  restartKind: z.enum(['prior_art', 'goal', 'viability', 'no_score', 'no_material', 'person']).nullable(),
  similar: count.nullable(),
  spent: z.object({ calls: count, tokens: count, costUsd: z.number() }),
});

const report = object<Report>()('Report', {
  title: text,
  summary: text,
  sections: z.array(z.object({ heading: text, text })),
  sources: z.array(z.object({ title: text, url: text })),
});

const research = object<ResearchResult>()('ResearchResult', {
  workflow: z.literal('research'),
  report,
  iterations: z.array(iteration),
  ...common,
  outcome: z.enum(['viable', 'iteration_limit', 'no_material', 'stopped', 'budget', 'degraded', 'cancelled']),
  reportId: text,
  issueUrl: text.optional(),
  gaps: texts,
});

const subtask = object<SubtaskReport>()('SubtaskReport', {
  id: text,
  description: text,
  dependsOn: texts,
  status: z.enum(['pending', 'running', 'completed', 'failed']),
  executions: count,
  completedIn: count.optional(),
  result: text.optional(),
  error: text.optional(),
  replacedBy: texts.optional(),
});

const solve = object<SolveResult>()('SolveResult', {
  workflow: z.literal('planAndExecute'),
  answer: text,
  ...common,
  outcome: z.enum(['complete', 'partial', 'unverified', 'budget', 'cancelled']),
  subtasks: z.array(subtask),
  executions: count,
  retries: count,
  stateSummary: z.object({
    subtasks_total: count,
    subtasks_completed: count,
    subtasks_failed: count,
    subtasks_pending: count,
    dead_ends: count,
  }),
  validation: z
    .object({
      isComplete: z.boolean(),
      missingRequirements: texts,
      quality: z.enum(['low', 'medium', 'high']),
      warnings: texts,
    })
    .nullable(),
  workspace: filesSchema.optional(),
});

export const resultSchema = described<RunResult>()(
  'RunResult',
  z.discriminatedUnion('workflow', [orchestration, session, research, solve]),
);

export const turnSchema = object<TurnResult>()('TurnResult', {
  answer: text,
  messages: texts,
  turn: count,
  warnings: texts,
  workspace: filesSchema.optional(),
});

const time = text.describe('ISO 8601');

const pending = z.object({
  kind: z.enum(['question', 'approval', 'tool', 'key']),
  questionId: text,
  from: text,
  question: text,
  askedAt: time,
  expiresAt: time.nullable(),
  tool: text.optional(),
  arguments: text.optional(),
});

export const questionSchema = described<PendingQuestion>()('PendingQuestion', pending);

export const inboxSchema = described<InboxQuestion>()(
  'InboxQuestion',
  pending.extend({ workflowId: text, task: text.optional() }),
);

export const stateSchema = described<State>()(
  'State',
  z.looseObject({
    workflow: z.enum(['orchestration', 'session', 'research', 'planAndExecute']),
    phase: text,
    agents: z.array(z.looseObject({ id: text, state: text })),
    usage: usageSchema.nullable(),
  }),
);

export const eventSchema = described<RunEvent>()(
  'RunEvent',
  z.looseObject({ seq: count, at: time, attempt: count, type: text }),
);

const status = described<RunStatus>()(
  'RunStatus',
  z.enum(['running', 'paused', 'completed', 'failed', 'cancelled', 'terminated', 'timed_out', 'continued_as_new']),
);

export const statusSchema = object<RunDescription>()('RunDescription', { id: text, workflow: text, status });

const run = {
  id: text,
  workflow: text,
  status,
  outcome: text.nullable(),
  question: text,
  startedAt: time,
  endedAt: time.nullable(),
  waiting: z.array(questionSchema),
  state: stateSchema.nullable(),
};

export const listedSchema = object<ListedRun>()('ListedRun', {
  ...run,
  spent: figuresSchema.nullable(),
  isWaiting: z.boolean(),
});

export const recordSchema = object<RunRecord>()('RunRecord', {
  ...run,
  failure: text.nullable(),
  result: resultSchema.nullable(),
  workspace: filesSchema.nullable(),
  steps: z.array(z.looseObject({ type: text, at: time, turn: count, part: text })),
  warnings: texts,
  usage: usageSchema,
  notes: texts,
  calls: z.array(z.looseObject({})).optional(),
});

export const callSchema = described<PendingCall>()(
  'PendingCall',
  z.looseObject({ activityId: text, activity: text, attempt: count }),
);

export const statsSchema = object<Stats>()('Stats', {
  orchestration: z.looseObject({ runs: count }),
  research: z.looseObject({ runs: count }),
  planAndExecute: z.looseObject({ runs: count }),
  unread: count,
});
