import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectedSinks } from '@temporalio/worker';
import type { LogEntry, RunSinks } from '../protocol/sinks.ts';

/** An entry as the log shows it: `[2026-01-18 17:09:44] text`, in local time, or the text alone where it has no stamp. */
export function logLine({ text, stamped }: LogEntry, at: string): string {
  return stamped ? `[${timestamp(new Date(at))}] ${text}` : text;
}

function timestamp(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** Appends the log entries of runs to `logs/log.txt` in the home folder. A replay does not add them again. */
export function logSink(home: string): Pick<InjectedSinks<RunSinks>, 'run'> {
  const folder = join(home, 'logs');
  const file = join(folder, 'log.txt');
  mkdirSync(folder, { recursive: true });
  return {
    run: {
      say: {
        fn: (_, entry, at) => appendFileSync(file, `${logLine(entry, at)}\n`),
        callDuringReplay: false,
      },
    },
  };
}
