import { readEnvironment } from '../../config/environment.ts';
import type { ServiceSettings } from '../../embedded/home-worker.ts';
import { takeLock } from '../../embedded/lock.ts';
import { Up } from '../../embedded/up.ts';
import { sharedVersion } from '../../embedded/worker-version.ts';
import { workerFolder, type WorkerRecord } from '../../embedded/workers.ts';
import { StoreUnavailableError } from '../../worker/await-store.ts';
import { logFormat } from '../../worker/log-format.ts';
import { MissingSearchAttributesError } from '../../worker/search-attributes.ts';
import { readRates } from '../../rates/settings.ts';
import { readSlots, type Slots } from '../../worker/slots.ts';
import { openAt } from '../connection.ts';
import { CommandError, exitStatus, say, sayAs, usageError } from '../exit.ts';
import { allowed, openHome, type CommonOptions } from '../options.ts';
import { targetOf } from '../target.ts';

export interface WorkerOptions extends CommonOptions {
  extensions: string;
  /** What inputs may bring, as `--allow` says. */
  allow?: string[];
  /** Whether to end when another version is current and no run is pinned to this one. */
  untilReplaced?: boolean;
}

/** @throws `CommandError`, status 2 */
function serviceSettings(): ServiceSettings {
  const variables = process.env;
  const { REPRISE_HEALTH_HOST: host, REPRISE_HEALTH_PORT: port, REPRISE_SHUTDOWN_SECONDS: seconds } = variables;
  if (port && !(/^\d+$/.test(port) && Number(port) <= 65_535)) throw usageError('REPRISE_HEALTH_PORT is no port');
  if (seconds && !/^\d+$/.test(seconds)) throw usageError('REPRISE_SHUTDOWN_SECONDS must be a number of seconds');
  let slots: Slots | undefined;
  try {
    slots = variables.REPRISE_SLOTS ? readSlots(variables.REPRISE_SLOTS) : undefined;
    readRates(variables.REPRISE_RATES ?? '');
  } catch (error) {
    throw usageError((error as Error).message);
  }
  return {
    ...(slots && { slots }),
    ...(port && { health: { port: Number(port), ...(host && { host }) } }),
    ...(seconds && { shutdownGraceTime: Number(seconds) * 1000 }),
  };
}

/** `reprise worker`: runs a worker alone until interrupted, and then lets calls in flight finish. */
export async function worker(options: WorkerOptions): Promise<void> {
  sayAs(logFormat(readEnvironment(process.env)));
  const allow = allowed(options.allow);
  const service = serviceSettings();
  const target = targetOf(options.temporal, undefined);
  const { address, namespace } = target;
  // Where the server cannot be reached, this connection says more clearly why than the worker's own would.
  const { reprise } = await openAt(target, undefined);
  await reprise.close();
  const home = openHome();
  const version = await sharedVersion(home, options.extensions, allow, () => say('Bundling the workflows (once) …'));
  const lock = takeLock<WorkerRecord>(workerFolder(home, version.buildId, { address, namespace }));
  const settings = { home, keeper: undefined, address, namespace, version, background: false, service, say };
  const running = new Up({ ...settings, untilReplaced: options.untilReplaced ?? false }, lock);
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
