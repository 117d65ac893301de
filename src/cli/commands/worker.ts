import { NativeConnection } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createWorker } from '../../worker.ts';
import { quietRuntime } from '../../worker/quiet-runtime.ts';
import { MissingSearchAttributes } from '../../worker/search-attributes.ts';
import { targetOf } from '../connection.ts';
import { CommandError, exitStatus, say } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';

/** `reprise worker`: a worker alone, until interrupted; calls in flight are finished first. */
export async function worker(options: CommonOptions & { extensions: string }): Promise<void> {
  const { address, namespace } = targetOf(options.temporal, undefined);
  const { connectionOptions } = loadClientConnectConfig();
  quietRuntime();
  const connection = await NativeConnection.connect({ ...connectionOptions, address }).catch(
    (error: Error) => {
      throw new CommandError(
        `Temporal does not answer at ${address} (${error.message})`,
        exitStatus.unreachable,
      );
    },
  );
  try {
    const running = await createWorker({
      connection,
      namespace,
      home: homeFolder(),
      configFolder: options.extensions,
      variables: process.env,
    });
    const stop = (): void => {
      if (running.getState() === 'RUNNING') running.shutdown();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    say(`Worker on ${address}, namespace ${namespace}`);
    await running.run();
  } catch (error) {
    if (error instanceof MissingSearchAttributes)
      throw new CommandError(error.message, exitStatus.unreachable);
    throw error;
  } finally {
    await connection.close();
  }
}
