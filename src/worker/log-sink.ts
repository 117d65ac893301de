import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectedSinks } from '@temporalio/worker';
import { printable } from '../util/text/printable.ts';
import type { LogEntry, RunSinks } from '../protocol/sinks.ts';
import { jsonLine, type LogFormat } from './log-format.ts';
import { briefTimestamp, timestamp } from '../util/local-time.ts';
import { privateFolder, privateMode } from '../util/private-files.ts';
import { logLimits, nameOfFull, removeOldest } from './rotation.ts';

/**
 * An entry as the log shows it, in local time: `[2026-01-18 17:09:44] text`; without a stamp the text.
 *
 * @param isBrief whether a time of today is without its day: `[17:09:44] text`
 */
export function logLine({ text, stamped }: LogEntry, at: string, isBrief = false): string {
  return stamped ? `[${(isBrief ? briefTimestamp : timestamp)(new Date(at))}] ${text}` : text;
}

/** An entry as the log file has it: each line that says something ends with a tab and the id of its run, `run=q1`. */
export function fileLines(entry: LogEntry, at: string, workflowId: string): string {
  const lines = printable(logLine(entry, at)).replaceAll('\t', ' ').split('\n');
  const id = printable(workflowId).replaceAll(/\s/g, ' ');
  return lines.map((line) => (line.trim() === '' ? '\n' : `${line}\trun=${id}\n`)).join('');
}

/**
 * Appends the log entries of runs to `logs/log.txt` in the home folder. A replay does not add them again. A file that is
 * full is renamed, and the oldest of those are removed.
 */
export function logSink(
  home: string,
  format: LogFormat = 'text',
  { bytes, files } = logLimits,
): Pick<InjectedSinks<RunSinks>, 'run'> {
  const folder = join(home, 'logs');
  const file = join(folder, 'log.txt');
  privateFolder(folder);
  return {
    run: {
      say: {
        fn({ workflowId, runId, workflowType: type }, entry, at) {
          const lines =
            format === 'json'
              ? jsonLine({ time: at, level: 'INFO', message: entry.text.trim(), workflowId, runId, type })
              : fileLines(entry, at, workflowId);
          appendFileSync(file, lines, { mode: privateMode.file });
          try {
            if (statSync(file).size < bytes) return;
            renameSync(file, join(folder, nameOfFull('log.txt', new Date())));
            removeOldest(folder, 'log.txt', files - 1);
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
