import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/**
 * Waits for the activity that prepares a run.
 *
 * @throws the failure that it ended with as the run's own, so that whoever started the run reads first what is wrong
 */
export async function opened<T>(preparing: Promise<T>): Promise<T> {
  try {
    return await preparing;
  } catch (error) {
    const isOwn = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure;
    throw isOwn ? error.cause : error;
  }
}
