import { NativeConnection } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createWorker } from '../../worker.ts';
import { quietRuntime } from '../../worker/quiet-runtime.ts';
import { MissingSearchAttributesError } from '../../worker/search-attributes.ts';
import { openAt } from '../connection.ts';
import { CommandError, exitStatus, say } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import { targetOf } from '../target.ts';

/** `reprise worker`: runs a worker alone until interrupted, and then lets calls in flight finish. */
export async function worker(options: CommonOptions & { extensions: string }): Promise<void> {
  const target = targetOf(options.temporal, undefined);
  const { address, namespace } = target;
  // Where the server cannot be reached, this connection says more clearly why than the worker's own would.
  const { reprise } = await openAt(target, undefined);
  await reprise.close();
  quietRuntime();
  const { connectionOptions } = loadClientConnectConfig();
  const connection = await NativeConnection.connect({ ...connectionOptions, address });
  try {
    const running = await createWorker({
      connection,
      namespace,
      home: homeFolder(),
      configFolder: options.extensions,
      variables: process.env,
      onBundling: () => say('Bundling the workflows (once) …'),
    });
    const stop = (): void => {
      // A second signal does not wait for calls in flight, which another worker makes again.
      if (running.getState() !== 'RUNNING') process.exit(exitStatus.interrupted);
      say('Finishing the calls in flight; Ctrl-C again ends at once');
      running.shutdown();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    say(`Worker on ${address}, namespace ${namespace}. Ctrl-C ends it.`);
    await running.run();
  } catch (error) {
    if (error instanceof MissingSearchAttributesError) throw new CommandError(error.message, exitStatus.unreachable);
    throw error;
  } finally {
    await connection.close();
  }
}
