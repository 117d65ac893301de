import type { BroadcastResult, PendingQuestion } from './questions.ts';
import type { Outcome } from './orchestration.ts';
import type { OperatorDecision, ResearchOutcome, RestartKind } from './research.ts';
import type { SessionResult } from './session.ts';
import type { ApprovalEnd } from './tools/permissions.ts';
import type { PlannedSubtask, SolveOutcome, StateSummary, Validation } from './plan-and-execute.ts';
import type { ToolStatus } from './tools/tool.ts';

/** How a question to a person ended. `withdrawn`: the agent that asked does not wait any more. */
export type QuestionEnd = 'answered' | 'skipped' | 'timeout' | 'withdrawn';

/** How the wait for a key ended. `found`: a worker has it. `withdrawn`: nobody needs it any more. */
export type KeyEnd = 'found' | 'skipped' | 'timeout' | 'withdrawn';

/** Who asked for a restart. */
export type Requester = 'final_agent' | 'person';

/** The events of research runs alone. Their `attempt` is the planning iteration. */
export type ResearchEventBody =
  | { type: 'plan'; idea: string; approach: string; queries: string[] }
  /** `reports` of what was found are those of earlier runs; absent: none. */
  | { type: 'searched'; query: string; found: number; reports?: number }
  /** A page was read, or could not be read for the reason `why`. */
  | { type: 'page'; mark: string; url: string; characters: number; why?: string }
  /** The report has to go without something, such as a search that failed. */
  | { type: 'gap'; text: string }
  /** `fewer`: the plan before this one had too much prior art, and this one has little enough. */
  | { type: 'prior_art'; similar: number; works: string[]; fewer: boolean }
  | { type: 'criticising' }
  /** The score is null when the critic gave none. */
  | { type: 'criticism'; score: number | null; verdict: string; text: string }
  /** `more`: this is not the first restart. */
  | {
      type: 'planning_restart';
      kind: RestartKind;
      from: number;
      to: number;
      reason: string;
      guidance: string;
      more: boolean;
    }
  /** `best`: how many iterations this one was the best of, when none was good enough; else null. */
  | { type: 'synthesis'; iteration: number; best: number | null }
  /** The research waits for a person's decision. */
  | ({ type: 'plan_review' } & PendingQuestion)
  | ({ type: 'decided' } & OperatorDecision)
  | { type: 'stored'; reportId: string }
  | { type: 'issue'; url: string; created: boolean };

/** The events of plan-and-execute runs alone. Their `attempt` is the round; round 1 carries out the first plan. */
export type SolveEventBody =
  | { type: 'phase'; phase: 'QUERY ANALYSIS' | 'PLANNING' | 'EXECUTION' | 'SYNTHESIS AND VALIDATION' }
  | { type: 'analysis'; requirements: string[]; answerFormat: string }
  | { type: 'subtasks'; subtasks: PlannedSubtask[] }
  | { type: 'subtask_started'; id: string; description: string; isRetry: boolean }
  | { type: 'subtask_completed'; id: string; result: string; isRetry: boolean }
  /** `isRun` is false when the subtask never ran because one that it depends on has failed. */
  | { type: 'subtask_failed'; id: string; error: string; isRun: boolean; isRetry: boolean }
  /** A round begins in which only the failed subtasks run again. */
  | { type: 'retry_round'; ids: string[] }
  /** A round begins in which other subtasks are to take the place of those that have failed on a retry. */
  | { type: 'plan_around_round'; ids: string[] }
  /** A round begins with new subtasks for the missing requirements. */
  | { type: 'new_plan_round'; missing: string[] }
  | { type: 'round_ended'; what: 'plan' | 'retry' | 'new_plan'; count: number }
  | { type: 'solution'; answer: string }
  | ({ type: 'validation' } & Validation)
  | { type: 'state_summary'; summary: StateSummary };

/** How runs, and a session's turns, may end. */
export type FinalOutcome = Outcome | SessionResult['outcome'] | ResearchOutcome | SolveOutcome;

/** The events of teams alone. Their `attempt` is the attempt of the whole team. */
export type TeamEventBody =
  | { type: 'attempt'; maxAttempts: number; restart?: { reason: string; instructions: string } }
  /** `fromProse`: the agent did not call `new_answer`, and its text was taken for its answer. */
  | { type: 'answer'; agent: string; name: string; number: number; content: string; fromProse?: boolean }
  | { type: 'refused'; agent: string; text: string }
  /** `from`: the attempt that the answer was given in, where it is an earlier one. */
  | { type: 'vote'; agent: string; for: string; reason: string; from?: number }
  /** The agent has given texts in place of its vote, and keeps its answer without one. */
  | { type: 'no_vote'; agent: string }
  | { type: 'voting'; round: number }
  | { type: 'out'; agent: string; timedOut: boolean; reason: string }
  /** `from`: as of a vote. */
  | { type: 'selected'; agent: string; votes: Record<string, number>; from?: number }
  /** The judge finds what was presented worse than the best answer so far, which is of the attempt `from`. */
  | { type: 'kept'; agent: string; from: number }
  | { type: 'presenting'; agent: string }
  | { type: 'presented'; agent: string; content: string }
  | { type: 'evaluating'; agent: string }
  | {
      type: 'decision';
      agent: string;
      decision: 'submit' | 'restart';
      afterPresenting: boolean;
      /** Whether it only counts as that, since the judge has decided nothing; a warning says why. */
      isDefault?: boolean;
      reason?: string;
      instructions?: string;
    }
  | { type: 'restart'; by: Requester; from: number; to: number; reason: string; instructions: string };

/** The events of runs of any type. */
export type CommonEventBody =
  | { type: 'started'; task: string; agents: string[] }
  | { type: 'notice'; text: string }
  /** A file that came with the run has been read. */
  | { type: 'attachment'; name: string; kind: string; bytes: number; note?: string }
  | { type: 'warning'; text: string; agent?: string }
  | { type: 'thinking'; agent: string; purpose: string; activityId: string; model: string }
  /** No attempt is left, or no planning iteration when `isPlanning` is set. */
  | { type: 'restart_refused'; by: Requester; reason: string; isPlanning?: boolean }
  /** An agent has called `ask_others`. `of` holds the ids of those asked; a person is `human`. */
  | { type: 'asked'; agent: string; requestId: string; question: string; of: string[] }
  /** The shadow of `agent` has answered the question of `asker`. */
  | { type: 'responded'; agent: string; requestId: string; asker: string; content: string }
  | { type: 'ask_ended'; agent: string; requestId: string; status: BroadcastResult['status']; silent: string[] }
  /** A person is prompted. The question waits until the event `question_closed` with the same id. */
  | ({ type: 'question' } & PendingQuestion)
  | { type: 'question_closed'; questionId: string; how: QuestionEnd; answer?: string }
  /** The worker lacks a key that an agent needs. The run waits for it until the event `key_closed` with the same id. */
  | ({ type: 'key_missing'; variable: string } & PendingQuestion)
  | { type: 'key_closed'; questionId: string; variable: string; how: KeyEnd }
  /** An answer came after its question had closed, or before anything was asked. It is kept for later questions. */
  | { type: 'answer_kept'; questionId?: string; answer: string }
  /**
   * An agent may not run a tool without a person's approval. The call waits until the event `approval_resolved` with the same id.
   * `arguments`: what it is called with, as JSON for a person.
   */
  | ({ type: 'approval_requested'; tool: string; arguments: string } & PendingQuestion)
  /** `arguments`: what a person has given in place of the agent's; `always`: it holds for later calls of the tool too. */
  | {
      type: 'approval_resolved';
      questionId: string;
      agent: string;
      tool: string;
      how: ApprovalEnd;
      arguments?: string;
      reason?: string;
      always?: boolean;
    }
  /**
   * A call was refused without asking: by a rule, since nobody is there to ask, by what a person has said before, or since
   * they have let the time of an earlier call run out.
   */
  | { type: 'tool_denied'; agent: string; tool: string; why: 'rule' | 'unattended' | 'person' | 'silent' }
  /** An agent runs one of its own tools. `id` is its model's; `arguments` are JSON, and like `result` cut where they are long. */
  | { type: 'tool'; agent: string; tool: string; id: string; arguments: string }
  | { type: 'tool_ended'; agent: string; tool: string; id: string; status: ToolStatus; result: string }
  /** An agent has changed files: how many, and the paths of the first ones, compared with those it has begun with. */
  | { type: 'files'; agent: string; count: number; paths: string[] }
  /** A text for the person. `last`: it is the turn's answer. */
  | { type: 'says'; agent: string; text: string; last: boolean }
  /** A session's next turn has begun. `id`: that of the update that brought it. */
  | { type: 'turn'; turn: number; text: string; id?: string }
  /** The last event of a session's turn that has failed. The session goes on. */
  | { type: 'turn_failed'; turn: number; why: string }
  | { type: 'stopped'; why: 'timeout' | 'budget' | 'cancelled' }
  /** The last event of a run or of a session's turn. */
  | { type: 'final'; outcome: FinalOutcome; agent: string; answer: string };

/** An event without its `seq`, `at` and `attempt`. */
export type RunEventBody = CommonEventBody | TeamEventBody | ResearchEventBody | SolveEventBody;

/** An event in a run. `seq` counts from 1 without gaps; `at` is an ISO 8601 time; `attempt` is 0 before the first one. */
export type RunEvent = { seq: number; at: string; attempt: number } & RunEventBody;
