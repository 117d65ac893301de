import { isCancellation } from '@temporalio/workflow';
import type { Agent } from '../agent/agent.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { decisionPrompt, decisionRepair } from './final-prompts.ts';
import { accepted, refusalText } from './refusals.ts';
import { readDecision, type Decision } from './rules/decision.ts';
import { whenOf, type Attempt, type Run } from './context.ts';

/** How often a judge that decided nothing is asked again. */
const maxRepairs = 2;

/** `decide` is before presenting, `evaluate` after it. */
export type Judging = 'decide' | 'evaluate';

/**
 * Asks the judge for `submit` or `restart_orchestration`. What it fails to say counts as submitting, with a warning:
 * a judge out of order must not cost the run its answer.
 *
 * @throws `BudgetSpent`
 */
export async function judge(run: Run, attempt: Attempt, agent: Agent, what: Judging): Promise<Decision> {
  attempt.phase = what === 'decide' ? 'deciding' : 'evaluating';
  agent.tell({
    role: 'user',
    content: decisionPrompt(attempt.number, run.maxAttempts, run.ledger.budgetLeft),
  });
  const decision = await decisionOf(run, attempt, agent, what);
  tellOf(run, agent.persona.id, decision, what === 'evaluate');
  return decision;
}

async function decisionOf(run: Run, attempt: Attempt, agent: Agent, what: Judging): Promise<Decision> {
  const timeout = run.team.timeout_settings.agent_timeout_seconds * 1000;
  for (let repairs = 0; repairs <= maxRepairs; repairs++) {
    try {
      const { calls } = await agent.reply({ what, when: whenOf(attempt), timeout }, run.toolSets.decision);
      for (const call of calls) {
        agent.answerCall(
          call.id,
          'error' in call ? refusalText({ kind: 'invalid', error: call.error }) : accepted,
        );
      }
      const decision = readDecision(calls);
      if (decision !== undefined) return decision;
      agent.tell({ role: 'user', content: decisionRepair });
    } catch (error) {
      if (isCancellation(error) || isBudgetSpent(error)) throw error;
      return { kind: 'submit', warning: `the judge's model failed (${callFailure(error).reason})` };
    }
  }
  return { kind: 'submit', warning: `the judge called neither tool in ${maxRepairs + 1} replies` };
}

function tellOf({ events }: Run, agent: string, decision: Decision, afterPresenting: boolean): void {
  if (decision.kind === 'restart') {
    const { reason, instructions } = decision;
    events.emit({ type: 'decision', agent, decision: 'restart', afterPresenting, reason, instructions });
    return;
  }
  if (decision.warning !== undefined) {
    events.emit({ type: 'warning', agent, text: `${decision.warning}: counts as submitting` });
  }
  events.emit({ type: 'decision', agent, decision: 'submit', afterPresenting });
}
