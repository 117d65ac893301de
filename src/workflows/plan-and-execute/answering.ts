import { isCancellation } from '@temporalio/workflow';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { textRef } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import type { Text } from '../../protocol/message.ts';
import type { SolveOutcome, Validation } from '../../protocol/plan-and-execute.ts';
import type { Verdict } from '../runtime/iterate.ts';
import { answerMessage, validationMessage, validationTool, type AnswerBrief } from './prompts.ts';
import { afterValidation, readValidation, validationOf } from './rules/validation.ts';
import { atWork, newRoleAgent, purposeOf, resultsOf, type PlanContext, type Retry, type Round } from './context.ts';

/** Puts the results together to an answer. */
export async function synthesise(context: PlanContext, round: Round): Promise<void> {
  const { events } = context;
  context.phase = 'synthesising';
  events.emit({ type: 'phase', phase: 'SYNTHESIS AND VALIDATION' });
  round.brief = briefOf(context);
  await putTogether(context, round.brief);
  events.emit({ type: 'solution', answer: context.answer ?? '' });
}

/** Has the answer validated, and says what follows. */
export async function judge(context: PlanContext, round: Round): Promise<Verdict<SolveOutcome, Retry>> {
  if (round.isStuck || round.brief === undefined) return { kind: 'end', outcome: 'partial' };
  const { events, subtasks } = context;
  context.phase = 'validating';
  context.validation = await validate(context, round.brief, context.answerText);
  if (context.validation !== null) events.emit({ type: 'validation', ...context.validation });
  events.emit({ type: 'state_summary', summary: subtasks.get_state_summary() });
  const next = afterValidation(context.validation, subtasks.get_failed_subtasks().length > 0);
  if (next.kind !== 'done') return { kind: 'again', restart: next };
  if (next.unvalidated) events.emit({ type: 'warning', text: 'Nobody has said whether the answer is complete' });
  return { kind: 'accept', outcome: 'complete' };
}

/** What there is, where no model can put it together. */
export function resultsAsAnswer(context: PlanContext, why: string): string {
  const lines = context.subtasks.report().map(({ description, error = 'not carried out', id, result, status }) => {
    const end = status === 'completed' ? (result ?? '') : `not done: ${error}`;
    return `${id} (${description}): ${end}`;
  });
  return [`No answer was put together: ${why}. This is what there was:`, ...lines].join('\n');
}

function briefOf(context: PlanContext): AnswerBrief {
  const { analysis, stored, subtasks } = context;
  const failures = subtasks
    .report()
    .flatMap(({ description, error, id, status }) =>
      status === 'failed' ? [{ id, description, error: error ?? '' }] : [],
    );
  return { problem: stored.problem, analysis, results: resultsOf(context), failures };
}

async function putTogether(context: PlanContext, brief: AnswerBrief): Promise<void> {
  const { agent } = newRoleAgent(context, 'synthesis', '');
  agent.tell({ role: 'user', content: answerMessage(brief) });
  let problem = 'the model gave no text';
  try {
    const reply = await atWork(context, 'synthesis', 'writing', () =>
      agent.reply(purposeOf(context, 'synthesise'), null),
    );
    const answer = reply.content.trim();
    if (answer !== '') {
      context.answer = answer;
      context.answerText = textRef(answer, { segment: agent.transcript?.id ?? '' });
      return;
    }
  } catch (error) {
    problem = failureOf(error).reason;
    context.events.emit({ type: 'warning', agent: 'synthesis', text: problem });
  }
  context.answer = resultsAsAnswer(context, problem);
  context.answerText = context.answer;
}

async function validate(context: PlanContext, brief: AnswerBrief, answer: Text): Promise<Validation | null> {
  const validator = newRoleAgent(context, 'validator', context.stored.tools.validation);
  validator.agent.tell({ role: 'user', content: validationMessage(brief, answer) });
  try {
    const { error, value } = await atWork(context, 'validator', 'criticising', (onAsking) =>
      structured(validator, purposeOf(context, 'validate'), validationSpec, onAsking),
    );
    if (error === undefined && value !== undefined) return value;
    context.events.emit({ type: 'warning', agent: 'validator', text: 'The answer could not be validated' });
    return null;
  } catch (error) {
    const { reason } = failureOf(error);
    context.events.emit({
      type: 'warning',
      agent: 'validator',
      text: `The answer is not validated: ${reason}`,
    });
    return null;
  }
}

function failureOf(error: unknown): { reason: string } {
  if (isCancellation(error) || isBudgetSpent(error)) throw error;
  return callFailure(error);
}

const validationSpec: OutputSpec<Validation> = {
  tool: validationTool.name,
  read: (input) => orAgain(validationOf(input)),
  readText: (text) => orAgain(readValidation(text)),
};

function orAgain(value: Validation | undefined): Read<Validation> {
  return value === undefined ? { error: 'That was no validation. Call `submit_validation`.' } : { value };
}
