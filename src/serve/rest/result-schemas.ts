import { z } from 'zod';
import type { HumanAnswer, OrchestrationResult, Vote } from '../../protocol/orchestration.ts';
import type { SolveResult, SubtaskReport } from '../../protocol/plan-and-execute.ts';
import type { Iteration, Report, ResearchResult } from '../../protocol/research.ts';
import type { SessionResult, TurnResult } from '../../protocol/session.ts';
import type { Figures, Usage } from '../../protocol/usage.ts';
import type { AttemptFiles, RunFiles } from '../../protocol/workspace.ts';
import type { RunResult } from '../../protocol/state.ts';
import { described } from './described.ts';

export const text = z.string();
export const texts = z.array(text);
export const count = z.int().min(0);

const figures = z.object({
  calls: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  costUsd: z.number().describe('US dollars; 0 for models without a known price.'),
  estimated: z.boolean().optional(),
});

export const figuresSchema = described<Figures>()('Figures', figures);

export const usageSchema = described<Usage>()(
  'Usage',
  figures.extend({ byAgent: z.record(z.string(), figuresSchema) }),
);

export const filesSchema = described<RunFiles>()(
  'RunFiles',
  z.object({
    tree: text.nullable(),
    files: count,
    bytes: count,
    count: count.describe('How many were made, changed or removed.'),
    added: texts,
    changed: texts,
    removed: texts,
  }),
);

/** What all results have. */
const common = { outcome: text, warnings: texts, usage: usageSchema, events: count };

const humanQa = z.array(described<HumanAnswer>()('HumanAnswer', z.object({ question: text, answer: text })));

const orchestration = described<OrchestrationResult>()(
  'OrchestrationResult',
  z.object({
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
  }),
);

const session = described<SessionResult>()(
  'SessionResult',
  z.object({
    workflow: z.literal('session'),
    answer: text,
    messages: texts,
    turns: count,
    ...common,
    outcome: z.enum(['answered', 'limit', 'budget', 'cancelled']),
    humanQa,
    workspace: filesSchema.optional(),
  }),
);

const iteration = described<Iteration>()(
  'Iteration',
  z.object({
    iteration: count,
    idea: text,
    score: z.number().nullable(),
    verdict: text.nullable(),
    restartReason: text.nullable(),
    restartKind: z.enum(['prior_art', 'goal', 'viability', 'no_score', 'no_material', 'person']).nullable(),
    similar: count.nullable(),
    spent: z.object({ calls: count, tokens: count, costUsd: z.number() }),
  }),
);

const report = described<Report>()(
  'Report',
  z.object({
    title: text,
    summary: text,
    sections: z.array(z.object({ heading: text, text })),
    sources: z.array(z.object({ title: text, url: text })),
  }),
);

const research = described<ResearchResult>()(
  'ResearchResult',
  z.object({
    workflow: z.literal('research'),
    report,
    iterations: z.array(iteration),
    ...common,
    outcome: z.enum(['viable', 'iteration_limit', 'no_material', 'stopped', 'budget', 'degraded', 'cancelled']),
    reportId: text,
    issueUrl: text.optional(),
    gaps: texts,
  }),
);

const subtask = described<SubtaskReport>()(
  'SubtaskReport',
  z.object({
    id: text,
    description: text,
    dependsOn: texts,
    status: z.enum(['pending', 'running', 'completed', 'failed']),
    executions: count,
    completedIn: count.optional(),
    result: text.optional(),
    error: text.optional(),
    replacedBy: texts.optional(),
  }),
);

const solve = described<SolveResult>()(
  'SolveResult',
  z.object({
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
  }),
);

export const resultSchema = described<RunResult>()(
  'RunResult',
  z.discriminatedUnion('workflow', [orchestration, session, research, solve]),
);

export const turnSchema = described<TurnResult>()(
  'TurnResult',
  z.object({
    answer: text,
    messages: texts,
    turn: count,
    warnings: texts,
    workspace: filesSchema.optional(),
  }),
);
