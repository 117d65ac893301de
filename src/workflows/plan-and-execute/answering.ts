import { isCancellation } from '@temporalio/workflow';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { quote } from '../agent/text-refs.ts';
import { structured, type Form, type Read } from '../agent/structured-output.ts';
import type { Text } from '../../protocol/message.ts';
import type { Validation } from '../../protocol/plan-and-execute.ts';
import { answerMessage, validationMessage, type AnswerBrief } from './prompts.ts';
import { validationTool } from './tools.ts';
import { readValidation, validationOf } from './rules/validation.ts';
import { atWork, newSpeaker, purposeOf, resultsOf, type Job } from './context.ts';

/** Puts the results together to an answer, and has it checked. */
export async function answerAndCheck(job: Job): Promise<void> {
  const { events } = job;
  job.phase = 'synthesising';
  events.emit({ type: 'phase', phase: 'SYNTHESIS AND VALIDATION' });
  const brief = briefOf(job);
  const { answer, content } = await synthesise(job, brief);
  job.answer = answer;
  events.emit({ type: 'solution', answer });
  job.phase = 'validating';
  job.validation = await validate(job, brief, content);
  if (job.validation !== null) events.emit({ type: 'validation', ...job.validation });
}

/** What there is, where no model can put it together. */
export function resultsAsAnswer(job: Job, why: string): string {
  const lines = job.subtasks
    .report()
    .map(({ description, error = 'not carried out', id, result, status }) => {
      const end = status === 'completed' ? (result ?? '') : `not done: ${error}`;
      return `${id} (${description}): ${end}`;
    });
  return [`No answer was put together: ${why}. This is what there was:`, ...lines].join('\n');
}

function briefOf(job: Job): AnswerBrief {
  const { analysis, stored, subtasks } = job;
  const failures = subtasks
    .report()
    .flatMap(({ description, error, id, status }) =>
      status === 'failed' ? [{ id, description, error: error ?? '' }] : [],
    );
  return { problem: stored.problem, analysis, results: resultsOf(job), failures };
}

async function synthesise(job: Job, brief: AnswerBrief): Promise<{ answer: string; content: Text }> {
  const speaker = newSpeaker(job, 'synthesis', '');
  const { agent } = speaker;
  agent.tell({ role: 'user', content: answerMessage(brief) });
  try {
    const { content } = await atWork(job, 'synthesis', 'writing', () =>
      agent.reply(purposeOf(job, 'synthesise'), null),
    );
    const answer = content.trim();
    if (answer !== '') return { answer, content: quote(content, { segment: agent.transcript?.id ?? '' }) };
    return assembled(job, 'the model gave no text');
  } catch (error) {
    const { reason } = failureOf(error);
    job.events.emit({ type: 'warning', agent: 'synthesis', text: reason });
    return assembled(job, reason);
  }
}

function assembled(job: Job, why: string): { answer: string; content: Text } {
  const answer = resultsAsAnswer(job, why);
  return { answer, content: answer };
}

async function validate(job: Job, brief: AnswerBrief, answer: Text): Promise<Validation | null> {
  const speaker = newSpeaker(job, 'validator', job.stored.tools.validation);
  speaker.agent.tell({ role: 'user', content: validationMessage(brief, answer) });
  try {
    const { error, value } = await atWork(job, 'validator', 'criticising', (onAsking) =>
      structured(speaker, purposeOf(job, 'validate'), form, onAsking),
    );
    if (error === undefined && value !== undefined) return value;
    job.events.emit({ type: 'warning', agent: 'validator', text: 'The answer could not be validated' });
    return null;
  } catch (error) {
    const { reason } = failureOf(error);
    job.events.emit({ type: 'warning', agent: 'validator', text: `The answer is not validated: ${reason}` });
    return null;
  }
}

function failureOf(error: unknown): { reason: string } {
  if (isCancellation(error) || isBudgetSpent(error)) throw error;
  return callFailure(error);
}

const form: Form<Validation> = {
  tool: validationTool.name,
  read: (input) => orAgain(validationOf(input)),
  readText: (text) => orAgain(readValidation(text)),
};

function orAgain(value: Validation | undefined): Read<Validation> {
  return value === undefined ? { error: 'That was no validation. Call `submit_validation`.' } : { value };
}
