import { CancellationScope } from '@temporalio/workflow';
import { inStore } from '../runtime/own-store.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/orchestration.ts';
import type { SessionResult } from '../../protocol/session.ts';
import type { OpenedTeam } from '../../protocol/stored.ts';
import { storeTexts } from '../agent/text-refs.ts';
import { newTask, openTeam } from '../orchestration/team.ts';
import { answerTask } from '../orchestration/workflow.ts';
import { refuseRequest } from '../runtime/iterate.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import type { SessionRecord, TurnHandler } from './turn-handler.ts';

const outcomes: Record<Outcome, SessionResult['outcome']> = {
  submitted: 'answered',
  degraded: 'answered',
  restart_limit: 'limit',
  timeout: 'limit',
  budget: 'budget',
  cancelled: 'cancelled',
};

/** Opens turns with a team. Each turn is an orchestration that is told what was said before. */
export async function openTeamTurns(
  prepared: OpenedTeam,
  before: TranscriptRef | null,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<TurnHandler<TranscriptRef | null>> {
  const run = await openTeam(prepared, handlers, { ...earlier?.run, ...(earlier && { files: earlier.files }) });
  handlers.takeRequests(() => refuseRequest(run));
  let said = before;
  return {
    run,
    said: () => said,
    files: () =>
      Object.fromEntries(run.agents.flatMap(({ id, start }) => (start === undefined ? [] : [[id, start] as const]))),
    async take(text, turn) {
      const earlierSaid = said;
      // The conversations of the turns before are over.
      run.questions.record.shown = {};
      // In a cancelled session too, a turn has a result, which the conversation holds.
      const [stored = text] = await CancellationScope.nonCancellable(() => storeTexts([text]));
      const task = newTask(text, [], { task: stored, history: [] });
      const { answer, outcome, workspace } = await answerTask(run, {
        ...task,
        conversation: earlierSaid,
        plain: { task: text, history: async () => (earlierSaid === null ? [] : inStore.readMessages(earlierSaid)) },
        turn,
      });
      said = await CancellationScope.nonCancellable(() =>
        inStore.putMessages(earlierSaid, [
          { role: 'user', content: task.task },
          { role: 'assistant', content: answer },
        ]),
      );
      // All agents go on with the files of the answer.
      if (workspace !== undefined)
        for (const agent of run.agents) if (agent.start !== undefined) agent.start = workspace.tree;
      return { answer, messages: [answer], outcome: outcomes[outcome], ...(workspace && { workspace }) };
    },
  };
}
