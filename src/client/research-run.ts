import type { Decision, ResearchResult, ResearchState } from '../protocol/research.ts';
import { Run } from './run.ts';

/** A run of the workflow `research`. */
export class ResearchRun extends Run<ResearchState, ResearchResult> {
  /**
   * Asks for another plan as a person: it counts toward the limit, and is refused at it.
   *
   * @throws `NoOpenRun`
   */
  async requestRestart(reason: string, instructions: string): Promise<void> {
    await this.signalOpen('requestRestart', { reason, instructions });
  }

  /** Ends the loop as a person: on to the synthesis, or no further model call. @throws `NoOpenRun` */
  async decide(decision: Decision): Promise<void> {
    await this.signalOpen('decide', decision);
  }
}
