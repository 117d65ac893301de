import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectedSinks } from '@temporalio/worker';
import { printable } from '../printable.ts';
import type { LogEntry, RunSinks } from '../protocol/sinks.ts';

/** An entry as the log shows it: `[2026-01-18 17:09:44] text`, in local time, or the text alone where it has no stamp. */
export function logLine({ text, stamped }: LogEntry, at: string): string {
  return stamped ? `[${timestamp(new Date(at))}] ${text}` : text;
}

/** An entry as the log file has it: each line that says something ends with a tab and the id of its run, `run=q1`. */
export function fileLines(entry: LogEntry, at: string, workflowId: string): string {
  const lines = printable(logLine(entry, at)).replaceAll('\t', ' ').split('\n');
  const id = printable(workflowId).replaceAll(/\s/g, ' ');
  return lines.map((line) => (line.trim() === '' ? '\n' : `${line}\trun=${id}\n`)).join('');
}

function timestamp(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** How long a log file may become, in bytes, and how many there are, the one that is written to included. */
const limits = { bytes: 10_000_000, files: 5 };

/**
 * Appends the log entries of runs to `logs/log.txt` in the home folder. A replay does not add them again. A file that is
 * full is renamed, and the oldest of those are removed.
 */
export function logSink(home: string, { bytes, files } = limits): Pick<InjectedSinks<RunSinks>, 'run'> {
  const folder = join(home, 'logs');
  const file = join(folder, 'log.txt');
  mkdirSync(folder, { recursive: true });
  return {
    run: {
      say: {
        fn({ workflowId }, entry, at) {
          appendFileSync(file, fileLines(entry, at, workflowId));
          try {
            if (statSync(file).size < bytes) return;
            renameSync(file, join(folder, nameOfFull(new Date())));
            removeOldest(folder, files - 1);
          } catch {
            // Another worker has renamed the file, or somebody has it open where that forbids it: the next entry tries again.
          }
        },
        callDuringReplay: false,
      },
    },
  };
}

/** The same without anything that a run has said: of each entry with a time, the type of the event behind it. */
export const withoutContent = ({ run: { say } }: ReturnType<typeof logSink>): ReturnType<typeof logSink> => ({
  run: {
    say: {
      ...say,
      fn(info, { stamped }, at, type) {
        if (stamped) return say.fn(info, { text: type, stamped }, at, type);
      },
    },
  },
});

/** Such as `log-2026-01-18T17-09-44-123Z-9f3a2c1b.txt`, never the same one: workers of a home may rename at one moment. */
const nameOfFull = (time: Date): string =>
  `log-${time.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.txt`;

const fullFile = /^log-\d{4}-\d\d-\d\dT[\d-]+Z-[\da-f]{8}\.txt$/;

function removeOldest(folder: string, kept: number): void {
  const full = readdirSync(folder).filter((name) => fullFile.test(name));
  for (const name of full.toSorted().slice(0, -kept)) rmSync(join(folder, name), { force: true });
}
