import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { OrchestrationInput, OrchestrationResult, Outcome } from '../../protocol/orchestration.ts';
import { iterate } from '../runtime/iterate.ts';
import { announce, setOutcome } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { beginAttempt, deliver, handleRestart, resultOf, select } from './attempt.ts';
import type { Attempt, OrchestrationContext, Task, TeamContext, TeamRestart } from './context.ts';
import { coordinate } from './coordination.ts';
import { judge, present } from './final-agent.ts';
import { newTask, openTeam } from './team.ts';
import { emptyView, viewOf } from './view.ts';

const { prepareOrchestration } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * A team answers a task: all agents answer, all vote, the final agent judges and presents, and the whole team starts
 * over while the result is not good enough and restarts are left (MassGen's documentation, "Orchestration Restart"). On
 * the way agents may ask one another, or a person ("Agent Communication").
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoAnswer` where no agent has answered in any
 *   attempt, with every agent's reason
 */
export async function orchestration(input: OrchestrationInput): Promise<OrchestrationResult> {
  const handlers = new RunHandlers(emptyView('orchestration'));
  const prepared = await prepareOrchestration(input);
  const { history, humanQa, notices, task, team } = prepared;
  announce(
    handlers.events,
    task,
    team.agents.map(({ id }) => id),
    notices,
  );
  const context = await openTeam(prepared, handlers, { humanInput: { history: humanQa } });
  const result = await answerTask(context, await newTask(task, history));
  setOutcome(result.outcome);
  return result;
}

/** Has a team work on a task until its result is good enough or a limit is reached. @throws as `orchestration` */
export async function answerTask(team: TeamContext, task: Task): Promise<OrchestrationResult> {
  // A session's next task gives time anew to those who ran out of it.
  const agents = team.agents.map((agent) => ({ ...agent, timedOut: false }));
  const context: OrchestrationContext = { ...team, ...task, agents, attempt: undefined };
  const { enable_post_presentation_evaluation: presentFirst } = team.coordination;
  context.handlers.show(viewOf(context));
  const ending = await iterate<Attempt, Outcome, TeamRestart>(context, {
    limit: team.maxAttempts,
    limitOutcome: 'restart_limit',
    budgetOutcome: 'budget',
    timeout: { milliseconds: team.attemptTimeout, outcome: 'timeout' },
    begin: (iteration) => beginAttempt(context, iteration),
    async work(attempt) {
      await coordinate(context, attempt);
      select(context, attempt);
      if (presentFirst) await present(context, attempt);
    },
    judge: (attempt) => judge(context, attempt),
    async conclude(attempt) {
      if (!presentFirst) await present(context, attempt);
    },
    requested: (request) => ({ by: 'person', ...request }),
    refused: ({ by, reason }) => context.events.emit({ type: 'restart_refused', by, reason }),
    again: (attempt, restart) => handleRestart(context, attempt, restart),
    interrupted(attempt, verdict) {
      if (verdict.kind === 'end' && attempt.selected === undefined) select(context, attempt);
    },
    isBetter: ({ result }) => result !== undefined,
    deliver: async (end) => deliver(end),
  });
  return resultOf(context, ending);
}
