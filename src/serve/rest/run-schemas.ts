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
import { described } from './described.ts';
import { count, figuresSchema, filesSchema, resultSchema, text, texts, usageSchema } from './result-schemas.ts';

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

export const statusSchema = described<RunDescription>()(
  'RunDescription',
  z.object({ id: text, workflow: text, status }),
);

/** What is known of a run, whether it is listed or shown. */
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

export const listedSchema = described<ListedRun>()(
  'ListedRun',
  z.object({ ...run, spent: figuresSchema.nullable(), isWaiting: z.boolean() }),
);

export const recordSchema = described<RunRecord>()(
  'RunRecord',
  z.object({
    ...run,
    failure: text.nullable(),
    result: resultSchema.nullable(),
    workspace: filesSchema.nullable(),
    steps: z.array(z.looseObject({ type: text, at: time, turn: count, part: text })),
    warnings: texts,
    usage: usageSchema,
    notes: texts,
    calls: z.array(z.looseObject({})).optional(),
  }),
);

export const callSchema = described<PendingCall>()(
  'PendingCall',
  z.looseObject({ activityId: text, activity: text, attempt: count }),
);

export const statsSchema = described<Stats>()(
  'Stats',
  z.object({
    orchestration: z.looseObject({ runs: count }),
    research: z.looseObject({ runs: count }),
    planAndExecute: z.looseObject({ runs: count }),
    unread: count,
  }),
);
