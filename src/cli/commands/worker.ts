import type { ServiceSettings } from '../../local/home-worker.ts';
import { takeLock } from '../../local/lock.ts';
import { localWorker } from '../../local/local-worker.ts';
import { sharedVersion } from '../../local/worker-version.ts';
import { workerFolder, type WorkerRecord } from '../../local/workers.ts';
import { StoreUnavailableError } from '../../worker/await-store.ts';
import { logFormat } from '../../worker/log-sink.ts';
import { MissingSearchAttributesError } from '../../worker/search-attributes.ts';
import { readRates } from '../../models/rates/settings.ts';
import { readSlots } from '../../worker/slots.ts';
import { openAt, withConnection } from '../connection.ts';
import { CommandError, exitStatus, Interruption, usageError } from '../exit.ts';
import { allowed, openHome, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { targetOf } from '../target.ts';

type WorkerOptions = CommonOptions & { extensions: string; allow?: string[]; untilReplaced?: boolean };

/** @throws `CommandError`, status 2; `VariableError` */
function serviceSettings({ env: variables }: Shell): ServiceSettings {
  const { REPRISE_HEALTH_HOST: host, REPRISE_HEALTH_PORT: port, REPRISE_SHUTDOWN_SECONDS: seconds } = variables;
  if (port && !(/^\d+$/.test(port) && Number(port) <= 65_535)) throw usageError('REPRISE_HEALTH_PORT is no port');
  if (seconds && !/^\d+$/.test(seconds)) throw usageError('REPRISE_SHUTDOWN_SECONDS must be a number of seconds');
  readRates(variables.REPRISE_RATES ?? '');
  return {
    ...(variables.REPRISE_SLOTS && { slots: readSlots(variables.REPRISE_SLOTS) }),
    ...(port && { health: { port: Number(port), ...(host && { host }) } }),
    ...(seconds && { shutdownGraceTime: Number(seconds) * 1000 }),
  };
}

export async function worker(shell: Shell, options: WorkerOptions): Promise<void> {
  const { say } = shell;
  shell.sayAs(logFormat(shell.environment));
  const allow = allowed(shell, options.allow);
  const service = serviceSettings(shell);
  const target = targetOf(shell, options.temporal, undefined);
  const { address, namespace } = target;
  // Where the server cannot be reached, this connection says more clearly why than the worker's own would.
  await withConnection(openAt(shell, target), async () => {});
  const home = openHome(shell);
  const extensions = shell.path(options.extensions);
  const version = await sharedVersion(home, extensions, allow, () => say('Bundling the workflows (once) …'));
  const lock = takeLock<WorkerRecord>(workerFolder(home, version.buildId, { address, namespace }));
  const place = { home, isOwn: false, address, isNamed: true, namespace };
  const settings = { ...place, version, background: false, variables: shell.env, service, say };
  const running = localWorker({ ...settings, untilReplaced: options.untilReplaced ?? false }, lock);
  let isEnding = false;
  const interrupted = Promise.withResolvers<never>();
  const stop = (): void => {
    // A second signal does not wait for calls in flight, which another worker makes again.
    if (isEnding) return interrupted.reject(new Interruption());
    say('Finishing the calls in flight; Ctrl-C again ends at once');
    isEnding = true;
    void running.end('drain');
  };
  const serving = (): void => say(`Worker on ${address}, namespace ${namespace}. Ctrl-C ends it.`);
  const ignore = shell.onSignal(['SIGINT', 'SIGTERM'], stop);
  try {
    await Promise.race([interrupted.promise, running.run(serving)]);
  } catch (error) {
    const isUnusable = error instanceof MissingSearchAttributesError || error instanceof StoreUnavailableError;
    throw isUnusable ? new CommandError(error.message, exitStatus.unreachable) : error;
  } finally {
    ignore();
  }
}
