import { ApplicationFailure } from '@temporalio/workflow';
import { ModelCallFailed, type CustomTurn } from './custom-turn.ts';
import { TimeUp } from '../runtime/time-limit.ts';

/**
 * The answer of a turn.
 *
 * @param returned what the user's function came to
 * @throws `ApplicationFailure` of type `OrchestratorFailed` where it has none
 */
export function answerOf(returned: unknown, { lastSaid }: CustomTurn, file: string): string {
  if (typeof returned === 'string' && returned !== '') return returned;
  const isNothing = returned === undefined || returned === null || returned === '';
  if (!isNothing) throw failure(file, `handleText returned what is no text (${typeof returned})`);
  if (lastSaid !== undefined) return lastSaid;
  throw failure(file, 'handleText returned without a text, and has not responded with any');
}

/** What a user's file has thrown, named after it: a plain error would have the workflow's task tried again for ever. */
export function failureOf(error: unknown, file: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelCallFailed)
    return ApplicationFailure.nonRetryable(`${file}: ${error.message}`, 'TurnFailed');
  if (error instanceof TimeUp)
    return failure(file, `handleText was not done within ${error.milliseconds / 1000} seconds`);
  return failure(file, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

const failure = (file: string, what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${file}: ${what}`, 'OrchestratorFailed');
