import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { OrchestrationState } from '../protocol/state.ts';
import { Run } from './run.ts';

/** A run of the workflow `orchestration`. */
export class OrchestrationRun extends Run<OrchestrationState, OrchestrationResult> {
  /**
   * Asks for a restart as a person: it counts toward the limit, and is refused at it.
   *
   * @throws `NoOpenRun`
   */
  async requestRestart(reason: string, instructions: string): Promise<void> {
    await this.signalOpen('requestRestart', { reason, instructions });
  }
}
