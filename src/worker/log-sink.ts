import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectedSinks } from '@temporalio/worker';
import { printable } from '../util/text/printable.ts';
import type { LogEntry, RunSinks } from '../protocol/sinks.ts';
import { briefTimestamp, timestamp } from '../util/local-time.ts';
import { VariableError, type Environment } from '../util/environment.ts';
import { privateFolder, privateMode } from '../util/private-files.ts';
import { logLimits, nameOfFull, removeOldest } from './rotation.ts';

const formats = ['text', 'json'] as const;

/** How logs are written: in lines for people, or in lines of JSON for a program that collects them. */
export type LogFormat = (typeof formats)[number];

/** The format that `REPRISE_LOG_FORMAT` names; `text` where it is not set. @throws `VariableError` where there is no such format */
export function logFormat({ REPRISE_LOG_FORMAT: named = 'text' }: Environment): LogFormat {
  const found = formats.find((format) => format === named);
  if (found === undefined) throw new VariableError(`REPRISE_LOG_FORMAT is "${named}"; it must be "text" or "json"`);
  return found;
}

/** One line of a log in JSON. What concerns a run has its `workflowId`, its `runId` and the `type` of its workflow. */
export const jsonLine = (entry: { time: string; level: string; message: string; [key: string]: unknown }): string =>
  `${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? printable(value) : value))}\n`;

/** `[2026-01-18 17:09:44] text`, in local time; brief: `[17:09:44] text` for today; without a stamp the text. */
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
 * Appends what runs say to `logs/log.txt` of a home, not again at a replay. Full files are renamed, the oldest removed.
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
