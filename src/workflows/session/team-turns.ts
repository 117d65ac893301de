import { CancellationScope } from '@temporalio/workflow';
import { inStore } from '../runtime/store-options.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/orchestration.ts';
import type { SessionResult } from '../../protocol/session.ts';
import type { OpenedTeam } from '../../protocol/stored.ts';
import { storeTexts } from '../agent/text-refs.ts';
import type { TeamContext } from '../orchestration/context.ts';
import { newTask, openTeam } from '../orchestration/team.ts';
import { answerTask } from '../orchestration/workflow.ts';
import type { AgentTrees } from '../runtime/run-files.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import type { SessionRecord, TurnHandler, TurnOutcome } from './turn-handler.ts';

const outcomes: Record<Outcome, SessionResult['outcome']> = {
  submitted: 'answered',
  degraded: 'answered',
  restart_limit: 'limit',
  timeout: 'limit',
  budget: 'budget',
  cancelled: 'cancelled',
};

/** Takes turns with a team. Each turn is an orchestration that is told what was said before. */
export class TeamTurnHandler implements TurnHandler<TranscriptRef | null> {
  readonly run: TeamContext;
  said: TranscriptRef | null;

  private constructor(team: TeamContext, said: TranscriptRef | null) {
    this.run = team;
    this.said = said;
  }

  static async open(
    prepared: OpenedTeam,
    said: TranscriptRef | null,
    handlers: RunHandlers,
    earlier: SessionRecord | undefined,
  ): Promise<TeamTurnHandler> {
    const record = { ...earlier?.run, ...(earlier && { files: earlier.files }) };
    return new TeamTurnHandler(await openTeam(prepared, handlers, record), said);
  }

  /** After a turn with files, all agents go on with those of its answer. */
  get files(): AgentTrees {
    return Object.fromEntries(
      this.run.agents.flatMap(({ id, start }) => (start === undefined ? [] : [[id, start] as const])),
    );
  }

  async take(text: string, turn: number): Promise<TurnOutcome> {
    const { said } = this;
    // The conversations of the turns before are over.
    this.run.questions.record.shown = {};
    // In a cancelled session too, a turn has a result, which the conversation holds.
    const [stored = text] = await CancellationScope.nonCancellable(() => storeTexts([text]));
    const task = newTask(text, [], { task: stored, history: [] });
    const { answer, outcome, workspace } = await answerTask(this.run, {
      ...task,
      conversation: said,
      plain: { task: text, history: async () => (said === null ? [] : inStore.readMessages(said)) },
      turn,
    });
    this.said = await CancellationScope.nonCancellable(() =>
      inStore.putMessages(said, [
        { role: 'user', content: task.task },
        { role: 'assistant', content: answer },
      ]),
    );
    if (workspace !== undefined) {
      for (const agent of this.run.agents) if (agent.start !== undefined) agent.start = workspace.tree;
    }
    return { answer, messages: [answer], outcome: outcomes[outcome], ...(workspace && { workspace }) };
  }
}
