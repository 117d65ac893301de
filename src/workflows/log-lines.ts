import type { CommonEventBody, KeyEnd, RunEvent, RunEventBody } from '../protocol/events.ts';
import { loginAddress, loginCommand } from '../protocol/tools/login.ts';
import type { LogEntry } from '../protocol/sinks.ts';
import { teamLines } from './orchestration/log-lines.ts';
import { planLines } from './plan-and-execute/log-lines.ts';
import { researchLines } from './research/log-lines.ts';
import { durationText } from './runtime/duration.ts';
import { line, type LogLines } from './runtime/log-entry.ts';
import { shortened } from './runtime/size.ts';

const keyEnds: Record<KeyEnd, string> = {
  found: 'a worker has it now',
  skipped: 'a person goes on without it',
  timeout: 'the time of the budget is up',
  withdrawn: 'nobody needs it any more',
};

const denials = {
  rule: 'a rule of the permissions denies it',
  person: 'a person has refused it for this run',
  silent: 'a person did not decide about an earlier call in time',
} as const;

type ApprovalResolved = Extract<CommonEventBody, { type: 'approval_resolved' }>;

const shownArguments = 300;

const oneLine = (json: string): string => shortened(json.replaceAll(/\n\s*/g, ' '), shownArguments);

function approvalText({ always, arguments: given, how, questionId, reason, tool }: ApprovalResolved): string {
  const what = {
    allowed: 'allowed',
    edited: `allowed with other arguments: ${oneLine(given ?? '')}`,
    denied: `denied: ${reason ?? ''}`,
    timeout: 'denied: nobody allowed it in time',
    withdrawn: 'nobody waits for it any more',
  }[how];
  return `${tool} (${questionId}) ${what}${always ? ', for all of this run' : ''}`;
}

const stopReasons = {
  timeout: 'Time is up',
  budget: 'The budget is spent',
  cancelled: 'The run is cancelled',
} as const;

const commonLines: LogLines<CommonEventBody> = {
  started: ({ task }) => `Task: ${task}`,
  notice: ({ text }) => text,
  attachment: ({ kind, name, note }) => `📎 ${name} (${kind})${note === undefined ? '' : `: ${note}`}`,
  warning: ({ agent, text }) => `⚠️ ${agent === undefined ? '' : `[${agent}] `}${text}`,
  thinking: () => [],
  restart_refused: ({ by, isPlanning, reason }) => {
    const what = isPlanning ? 'planning iterations reached' : 'orchestration restarts exceeded';
    return `Maximum ${what}${by === 'person' ? ' (requested by a person)' : ''}: ${reason}`;
  },
  asked: ({ agent, of, question }) => `📢 [${agent}] asks ${of.join(', ')}: ${question}`,
  responded: ({ agent, asker, content }) => `↩️ [${agent}] responds to ${asker}: ${content}`,
  ask_ended: ({ agent, silent, status }) =>
    silent.length === 0 ? [] : `[${agent}] ${status}: no response from ${silent.join(', ')}`,
  question: ({ askedAt, expiresAt, from, questionId }) => {
    const time = expiresAt === null ? '' : `, ${durationText(Date.parse(expiresAt) - Date.parse(askedAt))} to answer`;
    return `📢 ${from} waits for a person (question ${questionId}${time})`;
  },
  question_closed: ({ answer, how, questionId }) =>
    `📢 Question ${questionId}: ${how}${answer === undefined ? '' : `: ${answer}`}`,
  key_missing: ({ from, variable }) => {
    const address = loginAddress(variable);
    if (address === undefined) return `🔑 ${from} needs ${variable} on a worker: the run waits for it`;
    return `🔑 ${from} needs a login, and the run waits for it: ${loginCommand(address)}`;
  },
  key_closed: ({ how, variable }) => `🔑 ${variable}: ${keyEnds[how]}`,
  approval_requested: ({ arguments: given, from, questionId, tool }) =>
    `🔒 [${from}] asks for approval to run ${tool} (${questionId}): ${oneLine(given)}`,
  approval_resolved: (event) => `🔒 ${approvalText(event)}`,
  // A warning tells what to do where nobody is there.
  tool_denied: ({ agent, tool, why }) =>
    why === 'unattended' ? [] : `🔒 [${agent}] may not run ${tool}: ${denials[why]}`,
  answer_kept: ({ answer, questionId }) => {
    const what = questionId === undefined ? 'An answer before any question' : `A late answer to ${questionId}`;
    return `📢 ${what} is kept: ${answer}`;
  },
  tool: ({ agent, tool }) => `🛠️ [${agent}] ${tool}`,
  tool_ended: ({ agent, status, tool }) => (status === 'ok' ? [] : `🛠️ [${agent}] ${tool}: ${status}`),
  files: ({ agent, count, paths }) => {
    const more = count > paths.length ? ` and ${count - paths.length} more` : '';
    return `📁 [${agent}] changed ${count} ${count === 1 ? 'file' : 'files'}: ${paths.join(', ')}${more}`;
  },
  // The command prints the last text itself, as the answer.
  says: ({ agent, last, text }) => (last ? [] : `[${agent}] ${text}`),
  turn: ({ text, turn }) => `💬 Turn ${turn}: ${text}`,
  // Whoever has sent the turn is told.
  turn_failed: () => [],
  stopped: ({ why }) => `⏰ ${stopReasons[why]}: the best answer so far is delivered`,
  final: ({ agent, outcome }) => `🏁 Done: ${outcome}${agent === '' ? '' : `, answer by ${agent}`}`,
};

const lines: LogLines<RunEventBody> = { ...commonLines, ...teamLines, ...researchLines, ...planLines };

/**
 * What the terminal and the log file say of an event. Phrases from the documents that Reprise follows are kept word for
 * word, since people search for them.
 */
export function entriesOf(event: RunEvent): LogEntry[] {
  const linesOf = lines[event.type] as (event: RunEvent) => LogEntry[] | string;
  const said = linesOf(event);
  return typeof said === 'string' ? [line(said)] : said;
}

export function withoutEmoji(text: string): string {
  return text.replace(/\p{Extended_Pictographic}\uFE0F? ?/gu, '');
}
