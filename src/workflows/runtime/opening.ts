import { ActivityFailure, ApplicationFailure, CancellationScope } from '@temporalio/workflow';

/**
 * Opens a run: from its input to its first prompt. A run that is cancelled meanwhile ends with a result, as one that is cancelled
 * later.
 *
 * @throws the failure that an activity ended with as the run's own, so that whoever started the run reads first what is wrong
 */
export async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await CancellationScope.nonCancellable(open);
  } catch (error) {
    const isOwn = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure;
    throw isOwn ? error.cause : error;
  }
}
