import { ApplicationFailure } from '@temporalio/workflow';
import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import { failureTypes } from '../../protocol/errors.ts';
import { perRun } from '../runtime/per-run.ts';
import { inStore } from '../runtime/own-store.ts';
import { guarded } from './guard.ts';

/** Loads a user's file. @returns what the file exports, or a promise of it */
type Load = () => unknown;

const loads = perRun(() => new Map<string, Load>());

/** Called by the generated entry of the workflow bundle. @param files what the bundle holds, by paths such as `./mine.ts` */
export function registerOrchestrators(files: Record<string, Load>): void {
  for (const [path, load] of Object.entries(files)) loads().set(path, load);
}

/** Thrown to a custom orchestrator when a model call has failed for good. */
export class ModelCallError extends Error {
  override name = 'ModelCallError';
}

/**
 * The function `handleText` of a file, which is run when it is first asked for, so that one that throws fails only the runs that
 * use it.
 *
 * @throws `ApplicationFailure` of type `OrchestratorFailed` when the file throws, of type `InvalidInput` when this worker does
 *   not have it
 */
export async function loadHandleText(file: string): Promise<HandleText> {
  try {
    const exported = (await guarded(file, async () => loads().get(file)?.())) as { handleText?: unknown } | undefined;
    if (typeof exported?.handleText === 'function') return exported.handleText as HandleText;
  } catch (error) {
    throw failureOf(error, file);
  }
  throw ApplicationFailure.nonRetryable(await inStore.findOrchestrator(file), failureTypes.invalidInput);
}

/** How many characters a text of a function may have. Temporal takes no payload of 2 MB: the run would never go on. */
const longestText = 500_000;

/** @throws if a text that a function hands over is longer than a run can have */
export function checkLength(text: string, file: string): void {
  if (text.length <= longestText) return;
  const lengths = `${text.length} characters; a text may have ${longestText}`;
  throw failure(file, `handleText hands over a text of ${lengths}`);
}

/** What a function has returned, else the last text that it has responded with. */
export function answerOf(returned: unknown, lastSaid: string | undefined, file: string): string {
  if (typeof returned === 'string' && returned !== '') {
    checkLength(returned, file);
    return returned;
  }
  const isNothing = returned === undefined || returned === null || returned === '';
  if (!isNothing) throw failure(file, `handleText returned what is no text (${typeof returned})`);
  if (lastSaid !== undefined) return lastSaid;
  throw failure(file, 'handleText returned without a text, and has not responded with any');
}

/** An `ApplicationFailure` for any error. Temporal would retry the workflow task for ever after other errors. */
export function failureOf(error: unknown, file: string): ApplicationFailure {
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

export const failure = (file: string, what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${file}: ${what}`, failureTypes.orchestratorFailed);
