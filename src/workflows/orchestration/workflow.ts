import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { OrchestrationInput, OrchestrationResult } from '../../protocol/orchestration.ts';
import { outcomeAttribute } from '../runtime/attributes.ts';
import { newCrew, seatsOf, storeDuties } from './team.ts';
import { Surface } from '../runtime/run-handlers.ts';
import { newRun, runTask, storeTask } from './attempts.ts';

const { prepareOrchestration } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * A team answers a task: all agents answer, all vote, the final agent judges and presents,
 * and the whole team starts over while the result is not good enough and restarts are left
 * (MassGen's documentation, "Orchestration Restart"). On the way agents may ask one another, or a person
 * ("Agent Communication").
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoAnswer` where no agent has
 *   answered in any attempt, with every agent's reason
 */
export async function orchestration(input: OrchestrationInput): Promise<OrchestrationResult> {
  const surface = new Surface();
  const prepared = await prepareOrchestration(input);
  const { task, history, humanQa, team, notices } = prepared;
  // The order of these is that of recorded histories.
  const stored = await storeDuties(team);
  const told = await storeTask(task, history);
  const seats = await seatsOf(team, surface.events.emit.bind(surface.events));

  const [firstLine = ''] = task.trim().split('\n');
  surface.events.emit({ type: 'started', task: firstLine, agents: seats.map(({ id }) => id) });
  for (const text of notices) surface.events.emit({ type: 'notice', text });
  const crew = newCrew(prepared, stored, surface, { desk: { history: humanQa } });
  const run = newRun(crew, seats, {
    ...told,
    conversation: null,
    plain: { task, history: () => Promise.resolve(history) },
    turn: 0,
  });
  const result = await runTask(run, surface);
  upsertSearchAttributes([{ key: outcomeAttribute, value: result.outcome }]);
  return result;
}
