import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { inStore } from '../runtime/store-activities.ts';
import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import { failureTypes } from '../../protocol/errors.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { TimeLimitError, withinTime } from '../runtime/clock.ts';
import { ModelCallError, type CustomTurn } from './custom-turn.ts';
import { guarded } from './guard.ts';
import { loadOrchestrator } from './load.ts';

/**
 * Runs a custom orchestrator's function on one text. Calls that it leaves under way are cancelled, and what they cost is
 * settled with the run's other abandoned calls.
 *
 * @param timeout time for the whole turn, in milliseconds
 * @param grace how much longer the file may take than its calls, in milliseconds
 * @returns what the function returns, else the last text that it responded with
 * @throws `ApplicationFailure` that names the file, of type `OrchestratorFailed`, or `TurnFailed` when a model has failed
 *   for good; `ApplicationFailure` of type `BudgetSpent`; `CancelledFailure`
 */
export async function runCustomTurn(
  turn: CustomTurn,
  handleText: HandleText,
  text: string,
  timeout: number,
  grace = 0,
): Promise<string> {
  const { module } = turn.settings;
  try {
    const returned = await guarded(module, () =>
      withinTime(timeout + grace, turn.waits, async () => handleText(text, turn.context)),
    );
    const answer = answerOf(returned, turn, module);
    turn.tellIfCut(answer);
    return answer;
  } catch (error) {
    if (isCancellation(error) || isBudgetSpent(error)) throw error;
    if (error instanceof TimeLimitError)
      throw failure(module, `handleText was not done within ${timeout / 1000} seconds`);
    throw failureOf(error, module);
  } finally {
    turn.end();
  }
}

/**
 * @throws `ApplicationFailure` of type `OrchestratorFailed` when the file throws, of type `InvalidInput` when this worker does not
 *   have it
 */
export async function loadHandleText(file: string): Promise<HandleText> {
  let handleText: HandleText | undefined;
  try {
    handleText = await guarded(file, () => loadOrchestrator(file));
  } catch (error) {
    throw failureOf(error, file);
  }
  if (handleText !== undefined) return handleText;
  throw ApplicationFailure.nonRetryable(await inStore.findOrchestrator(file), failureTypes.invalidInput);
}

function answerOf(returned: unknown, { lastSaid }: CustomTurn, file: string): string {
  if (typeof returned === 'string' && returned !== '') return returned;
  const isNothing = returned === undefined || returned === null || returned === '';
  if (!isNothing) throw failure(file, `handleText returned what is no text (${typeof returned})`);
  if (lastSaid !== undefined) return lastSaid;
  throw failure(file, 'handleText returned without a text, and has not responded with any');
}

/** An `ApplicationFailure` for any error. Temporal would retry the workflow task for ever after other errors. */
function failureOf(error: unknown, file: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelCallError)
    return ApplicationFailure.nonRetryable(`${file}: ${error.message}`, failureTypes.turnFailed);
  if (!(error instanceof Error)) return failure(file, String(error));
  return failure(`${file}${lineIn(file, error.stack)}`, `${error.name}: ${error.message}`);
}

/** `:LINE` of a file where the stack of an error, which the SDK gives in terms of the sources, first comes by it; else empty. */
function lineIn(file: string, stack: unknown): string {
  if (typeof stack !== 'string') return '';
  const path = file.slice(1);
  // The message stands there too, which may be a model's text of any length.
  for (const frame of stack.split('\n').filter((each) => each.length < 1000)) {
    const [, place = '', line] = /^ +at .*?([^() ]+):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (place.replaceAll('\\', '/').endsWith(path)) return `:${line}`;
  }
  return '';
}

const failure = (file: string, what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${file}: ${what}`, failureTypes.orchestratorFailed);
