import { readEnvironment } from '../../config/environment.ts';
import { takeLock } from '../../embedded/lock.ts';
import { Up } from '../../embedded/up.ts';
import { sharedVersion } from '../../embedded/worker-version.ts';
import { workerFolder, type WorkerRecord } from '../../embedded/workers.ts';
import { StoreUnavailableError } from '../../worker/await-store.ts';
import { logFormat } from '../../worker/log-format.ts';
import { MissingSearchAttributesError } from '../../worker/search-attributes.ts';
import { openAt } from '../connection.ts';
import { CommandError, exitStatus, say, sayAs } from '../exit.ts';
import { allowed, openHome, type CommonOptions } from '../options.ts';
import { targetOf } from '../target.ts';

/** `reprise worker`: runs a worker alone until interrupted, and then lets calls in flight finish. */
export async function worker(options: CommonOptions & { extensions: string; allow?: string[] }): Promise<void> {
  sayAs(logFormat(readEnvironment(process.env)));
  const allow = allowed(options.allow);
  const target = targetOf(options.temporal, undefined);
  const { address, namespace } = target;
  // Where the server cannot be reached, this connection says more clearly why than the worker's own would.
  const { reprise } = await openAt(target, undefined);
  await reprise.close();
  const home = openHome();
  const version = await sharedVersion(home, options.extensions, allow, () => say('Bundling the workflows (once) …'));
  const lock = takeLock<WorkerRecord>(workerFolder(home, version.buildId, { address, namespace }));
  const running = new Up({ home, keeper: undefined, address, namespace, version, background: false, say }, lock);
  let ending: Promise<void> | undefined;
  const stop = (): void => {
    // A second signal does not wait for calls in flight, which another worker makes again.
    if (ending !== undefined) process.exit(exitStatus.interrupted);
    say('Finishing the calls in flight; Ctrl-C again ends at once');
    ending = running.end('hand over');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    await running.run(() => say(`Worker on ${address}, namespace ${namespace}. Ctrl-C ends it.`));
    await ending;
  } catch (error) {
    if (error instanceof MissingSearchAttributesError || error instanceof StoreUnavailableError) {
      throw new CommandError(error.message, exitStatus.unreachable);
    }
    throw error;
  }
}
