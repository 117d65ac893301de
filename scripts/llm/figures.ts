import { ApplicationFailure } from '@temporalio/common';
import { failureTypes, type RunEvent, type RunResult, type Usage } from '../../src/client.ts';

/** How a course ended. It is honest if the run says itself how it ended, by an outcome or by a typed failure. */
export interface Ending {
  outcome: string;
  isHonest: boolean;
}

/** What the table shows of a course. */
export interface Figures {
  calls: number;
  /** How many replies were sent back to the model. */
  repairs: number;
  /** How often a text was taken as an answer where a tool call was asked for. */
  prose: number;
  /** How many votes were cast, of how many that agents were asked for. */
  votes: [cast: number, asked: number];
  tokensIn: number;
  tokensOut: number;
  warnings: number;
  /** Whether a text was delivered that an agent gave as its answer, or that the final agent presented; undefined where none answer. */
  isGiven: boolean | undefined;
  /** What was told and was not so. */
  untrue: string[];
}

export interface Row extends Ending, Figures {
  course: string;
  seconds: number;
}

/** What a run has cost and what happened in it. @param result absent where the run failed */
export function figuresOf(events: RunEvent[], usage: Usage | null, result?: RunResult): Figures {
  const again = [...asked(events, ...structured).values()].reduce((sum, calls) => sum + calls - 1, 0);
  const count = (...types: Array<RunEvent['type']>): number => events.filter(({ type }) => types.includes(type)).length;
  return {
    calls: usage?.calls ?? 0,
    repairs: count('refused') + again,
    prose: events.filter((event) => event.type === 'answer' && event.fromProse === true).length,
    votes: [count('vote'), asked(events, 'vote').size],
    tokensIn: usage?.inputTokens ?? 0,
    tokensOut: usage?.outputTokens ?? 0,
    warnings: result?.warnings.length ?? count('warning'),
    isGiven: isGiven(events, result),
    untrue: untrueIn(events, result),
  };
}

/** Events have the beginnings of texts. */
const begins = (text: string, beginning: string): boolean => {
  const [whole, part] = [text, beginning.replace(/…$/, '')].map((each) => each.replace(/\s+/g, ' ').trim());
  return part !== '' && (whole ?? '').startsWith((part ?? '').slice(0, 100));
};

function isGiven(events: RunEvent[], result: RunResult | undefined): boolean | undefined {
  const given = events.flatMap((event) => (event.type === 'answer' ? [event.content] : []));
  const { answer } = (result ?? {}) as { answer?: string };
  return given.length === 0 || answer === undefined ? undefined : given.some((each) => begins(answer, each));
}

/** What events and result say of a team that its own votes and words contradict. */
function untrueIn(events: RunEvent[], result: RunResult | undefined): string[] {
  const {
    answer,
    outcome,
    warnings = [],
  } = (result ?? {}) as { answer?: string; outcome?: string; warnings?: string[] };
  const said: string[] = [];
  const success = ['submitted', 'viable', 'complete', 'answered'].includes(outcome ?? '');
  if (success && answer !== undefined && !/[\p{L}\p{N}]/u.test(answer)) said.push(`${outcome} without an answer`);
  for (const [index, event] of events.entries()) {
    if (event.type !== 'selected') continue;
    const most = Math.max(...Object.values(event.votes));
    const isTold = warnings.some((text) => text.startsWith('Nobody has voted'));
    if (Object.keys(event.votes).length > 1 && event.votes[event.agent] !== most)
      said.push(`${event.agent} had fewer votes`);
    if (Object.keys(event.votes).length > 1 && most === 0 && !isTold && result !== undefined)
      said.push('nobody had voted');
    if (!events.slice(0, index).some((each) => each.type === 'answer' && each.agent === event.agent))
      said.push(`${event.agent} had given no answer`);
  }
  return said;
}

/** The purposes of calls whose reply has to be one call of a certain tool, and is asked for again if it is not. */
const structured = ['plan', 'criticise', 'analyse', 'validate'];

/** What agents were asked for, with how many calls: each is asked for once in an iteration. */
function asked(events: RunEvent[], ...purposes: string[]): Map<string, number> {
  const calls = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'thinking' || !purposes.includes(event.purpose)) continue;
    const what = `${event.attempt} ${event.agent} ${event.purpose}`;
    calls.set(what, (calls.get(what) ?? 0) + 1);
  }
  return calls;
}

/** How a run ended that threw. The courses' inputs are good, so that refusing one is no honest end. */
export function endingOf(error: unknown): Ending {
  const causes = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  const honest = Object.values(failureTypes).filter((type) => type !== failureTypes.invalidInput);
  const failure = causes.find((cause) => cause instanceof ApplicationFailure);
  const type = failure?.type ?? undefined;
  const name = type ?? causes.at(-1)?.name ?? 'Error';
  return { outcome: `failed: ${name}`, isHonest: honest.some((each) => each === type) };
}

const columns: Array<[title: string, value: (row: Row) => string]> = [
  ['course', ({ course }) => course],
  ['outcome', ({ isHonest, outcome }) => (isHonest ? outcome : `NOT HONEST ${outcome}`)],
  ['calls', ({ calls }) => String(calls)],
  ['repairs', ({ repairs }) => String(repairs)],
  ['prose taken', ({ prose }) => String(prose)],
  ['votes', ({ votes: [cast, most] }) => (most === 0 ? '' : `${cast} of ${most}`)],
  ['tokens in', ({ tokensIn }) => String(tokensIn)],
  ['tokens out', ({ tokensOut }) => String(tokensOut)],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
  ['warnings', ({ warnings }) => String(warnings)],
  ["an agent's answer", ({ isGiven: given }) => (given === undefined ? '' : given ? 'yes' : 'no')],
  ['untrue', ({ untrue }) => untrue.join('; ') || '0'],
];

/** The rows as a table of plain text, numbers to the right. */
export function tableOf(rows: Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, value]) => value(row)))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
