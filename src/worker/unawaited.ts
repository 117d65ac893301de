import { inspect } from 'node:util';
import { readEnvironment } from '../util/environment.ts';
import { logFormat } from './log-sink.ts';
import { jsonOf, lineOf } from './quiet-runtime.ts';

let installed = false;

/**
 * Lets the process go on when a promise fails that nobody awaits, with a line on standard error that says where it was
 * made. One forgotten `await` in somebody's tool would otherwise end the worker with the calls of all runs in it, once
 * more at each try.
 *
 * @param isEncrypted whether what a run is about must not be printed
 */
export function outliveUnawaited(isEncrypted = false): void {
  if (installed) return;
  installed = true;
  const line = logFormat(readEnvironment(process.env)) === 'json' ? jsonOf : lineOf;
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(inspect(reason));
    const place = /^\s*at (.+)$/m.exec(error.stack ?? '')?.[1];
    const message = `A promise failed that nobody awaits${reason instanceof Error && place ? `, in ${place}` : ''}`;
    const timestampNanos = BigInt(Date.now()) * 1_000_000n;
    process.stderr.write(line({ level: 'ERROR', message, timestampNanos, meta: { error } }, isEncrypted));
  });
}
