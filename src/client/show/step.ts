import type { BroadcastResult } from '../../protocol/questions.ts';
import type { Work } from '../../protocol/search.ts';
import type { CallToolResult } from '../../protocol/tools/tool.ts';

/** Where in a run something has happened: `part` is as in `attempt 2`, `iteration 1` or `round 3`, empty outside of one. */
interface Place {
  /** ISO 8601 time. */
  at: string;
  /** Of a session, from 1; else 0. */
  turn: number;
  part: string;
}

export type StepBody =
  /** `refused`: why it does not count, as its agent was told. */
  | { type: 'answer'; agent: string; text: string; refused?: string }
  /** `for`: the id of the agent; null for the best answer of the attempts before. `isVoid`: a new answer came after it. */
  | { type: 'vote'; agent: string; for: string | null; reason: string; isVoid?: true; refused?: string }
  /**
   * `afterPresenting`: what was presented is judged, rather than the answer that won the vote. `prefersEarlier`: the best
   * answer of the attempts before is found better. `execute`: the team is to carry out what it has planned.
   */
  | {
      type: 'decision';
      agent: string;
      decision: 'submit' | 'restart';
      afterPresenting: boolean;
      reason?: string;
      instructions?: string;
      prefersEarlier?: true;
      execute?: boolean;
    }
  | { type: 'presented'; agent: string; text: string }
  /** `status`: how asking ended, if that is known; `error`: why nobody was asked. */
  | { type: 'asked'; agent: string; question: string; status?: BroadcastResult['status']; error?: string }
  /** An agent responds to the question of agent `to`. */
  | { type: 'responded'; agent: string; to: string; text: string }
  /** Any other text of a model; `purpose` is what it was called for, such as `think`. */
  | { type: 'said'; agent: string; purpose: string; text: string }
  /** `result` is absent where none has come. `isCut`: only the beginning is at hand. */
  | {
      type: 'tool';
      agent: string;
      tool: string;
      arguments: unknown;
      status?: CallToolResult['status'];
      result?: string;
      isCut?: true;
    }
  /** What a planner, a critic, a writer or a validator gives: the arguments of its tool. */
  | { type: 'submitted'; agent: string; tool: string; fields: Record<string, unknown>; refused?: string }
  | { type: 'finished'; agent: string; status: 'completed' | 'failed'; text: string; refused?: string }
  | { type: 'searched'; query: string; hits: Work[]; failure?: string }
  | { type: 'page'; url: string; characters?: number; failure?: string }
  | { type: 'failed'; agent: string; purpose: string; reason: string }
  | { type: 'signal'; name: string; input: unknown }
  | { type: 'turn'; text: string }
  /** The texts of a turn that no other step has: a custom orchestrator may say what no model has said. */
  | { type: 'turn_ended'; messages: string[]; failure?: string };

/** One thing that has happened in a run. */
export type RunStep = Place & StepBody;
