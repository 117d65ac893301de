import { atOpening } from '../runtime/own-store.ts';
import type { OrchestrationInput, OrchestrationResult, Outcome } from '../../protocol/orchestration.ts';
import { truncateToPayload } from '../runtime/size.ts';
import { iterate } from '../runtime/iterate.ts';
import { opened, showEnd, tellIfFailed } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { beginAttempt, deliver, nameThoseOut, resultOf, select } from './attempt.ts';
import type { Attempt, OrchestrationContext, Task, TeamContext, TeamRestart } from './context.ts';
import { coordinate, takeProse } from './coordination.ts';
import { elect } from './election.ts';
import { judge, present } from './final-agent.ts';
import { openOrchestration } from './team.ts';
import { emptyView, viewOf } from './view.ts';

/**
 * A team answers a task. All agents answer, all vote, and the final agent judges and presents; the whole team starts over
 * while the result is not good enough and restarts are left (MassGen's documentation, "Orchestration Restart"). Meanwhile
 * agents may ask one another, or a person ("Agent Communication").
 *
 * @throws `ApplicationFailure` of type `InvalidInput` before anything is spent; of type `NoAnswer`, with every agent's
 *   reason, when no agent has answered in any attempt
 */
export async function orchestration(input: OrchestrationInput): Promise<OrchestrationResult> {
  const handlers = new RunHandlers(emptyView('orchestration'));
  const [context, task] = await opened(async () =>
    openOrchestration(await atOpening.prepareOrchestration(input), input.attachments, handlers),
  );
  const result = await tellIfFailed(context, answerTask(context, task));
  showEnd(result.outcome, result.usage);
  return truncateToPayload(result);
}

/** Has a team work on a task until its result is good enough or a limit is reached. @throws what `orchestration` throws */
export async function answerTask(team: TeamContext, task: Task): Promise<OrchestrationResult> {
  // In a session, an agent that ran out of time is back for the next task.
  const agents = team.agents.map((agent) => ({ ...agent, timedOut: false }));
  const context: OrchestrationContext = { ...team, ...task, agents };
  const { enable_post_presentation_evaluation: presentFirst } = team.coordination;
  context.handlers.view = viewOf(context);
  const ending = await iterate<Attempt, Outcome, TeamRestart>(context, {
    limit: team.maxAttempts,
    limitOutcome: 'restart_limit',
    timeout: { milliseconds: team.attemptTimeout, outcome: 'timeout' },
    begin: (iteration) => beginAttempt(context, iteration),
    async work(attempt) {
      await coordinate(context, attempt);
      await elect(context, attempt);
      nameThoseOut(context, attempt);
      if (presentFirst) await present(context, attempt);
    },
    judge: (attempt) => judge(context, attempt),
    async conclude(attempt) {
      if (!presentFirst) await present(context, attempt);
    },
    requested: (request) => ({ by: 'person', ...request }),
    refused: ({ by, reason }) => context.events.emit({ type: 'restart_refused', by, reason }),
    again: ({ number }, restart) => context.events.emit({ type: 'restart', from: number, to: number + 1, ...restart }),
    interrupted(attempt, verdict) {
      // An attempt that a person has ended may be all that there is, if nobody answers in the next one.
      const isEnd = verdict.kind === 'end';
      if (attempt.phase === 'answering') for (const each of attempt.participants) takeProse(context, each);
      if (attempt.selected === undefined) select(context, attempt, undefined, isEnd);
    },
    isBetter: ({ result }) => result !== undefined,
    finalOutcome(outcome) {
      const { result, selected } = context.attempt ?? {};
      if (result?.isCut) context.warn(`the answer of ${selected?.teamAgent.id} was cut off at its limit of tokens`);
      return outcome === 'submitted' && context.warnings.length > 0 ? 'degraded' : outcome;
    },
    deliver: (end) => deliver(context, end),
  });
  return resultOf(context, ending);
}
