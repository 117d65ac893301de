import { failureReason } from '../agent/failures.ts';
import { textRef } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import type { SolveOutcome, Validation } from '../../protocol/plan-and-execute.ts';
import type { Verdict } from '../runtime/iterate.ts';
import { answerMessage, validationMessage, validationTool, type AnswerBrief } from './prompts.ts';
import { afterValidation, readValidation, validationOf } from './rules/validation.ts';
import type { Answer, PlanContext, Retry, Round } from './context.ts';
import { atWork, newRoleAgent, purposeOf, resultsOf } from './context.ts';

/** Puts the results together into an answer. */
export async function synthesise(context: PlanContext): Promise<void> {
  const { events } = context;
  context.phase = 'synthesising';
  events.emit({ type: 'phase', phase: 'SYNTHESIS AND VALIDATION' });
  context.answer = await writeAnswer(context);
  events.emit({ type: 'solution', answer: context.answer.text });
}

/** Has the answer validated, and decides what follows. */
export async function judge(context: PlanContext, { isStuck }: Round): Promise<Verdict<SolveOutcome, Retry>> {
  const { answer, events, subtasks } = context;
  if (isStuck || answer === undefined) return { kind: 'end', outcome: 'partial' };
  context.phase = 'validating';
  context.validation = await validate(context, answer);
  if (context.validation !== null) events.emit({ type: 'validation', ...context.validation });
  events.emit({ type: 'state_summary', summary: subtasks.get_state_summary() });
  const next = afterValidation(context.validation, subtasks.get_failed_subtasks().length > 0);
  if (next.kind !== 'done') return { kind: 'again', restart: next };
  if (next.unvalidated) events.emit({ type: 'warning', text: 'Nobody has said whether the answer is complete' });
  return { kind: 'accept', outcome: 'complete' };
}

/** Lists what there is as the answer, without a model. @param why no answer was put together */
export function resultsAsAnswer(context: PlanContext, why: string): Answer {
  const lines = context.subtasks.report().map(({ description, error = 'not carried out', id, result, status }) => {
    const end = status === 'completed' ? (result ?? '') : `not done: ${error}`;
    return `${id} (${description}): ${end}`;
  });
  const text = [`No answer was put together: ${why}. This is what there was:`, ...lines].join('\n');
  return { text, content: text };
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

async function writeAnswer(context: PlanContext): Promise<Answer> {
  const { agent } = newRoleAgent(context, 'synthesis', null);
  agent.tell({ role: 'user', content: answerMessage(briefOf(context)) });
  let problem = 'the model gave no text';
  try {
    const reply = await atWork(context, 'synthesis', 'writing', () => agent.reply(purposeOf(context, 'synthesise')));
    const text = reply.content.trim();
    if (text !== '') return { text, content: textRef(text, { segment: agent.transcript?.id ?? '' }) };
  } catch (error) {
    problem = failureReason(error);
    context.events.emit({ type: 'warning', agent: 'synthesis', text: problem });
  }
  return resultsAsAnswer(context, problem);
}

/** @returns null if the validator failed, or gave nothing that could be used */
async function validate(context: PlanContext, { content }: Answer): Promise<Validation | null> {
  const validator = newRoleAgent(context, 'validator', context.stored.tools.validation);
  validator.agent.tell({ role: 'user', content: validationMessage(briefOf(context), content) });
  let text = 'The answer could not be validated';
  try {
    const { error, value } = await atWork(context, 'validator', 'criticising', (onAsking) =>
      structured(validator, purposeOf(context, 'validate'), validationSpec, onAsking),
    );
    if (error === undefined && value !== undefined) return value;
  } catch (error) {
    text = `The answer is not validated: ${failureReason(error)}`;
  }
  context.events.emit({ type: 'warning', agent: 'validator', text });
  return null;
}

const validationSpec: OutputSpec<Validation> = {
  tool: validationTool.name,
  read: (input) => orAgain(validationOf(input)),
  readText: (text) => orAgain(readValidation(text)),
};

function orAgain(value: Validation | undefined): Read<Validation> {
  return value === undefined ? { error: 'That was no validation. Call `submit_validation`.' } : { value };
}
