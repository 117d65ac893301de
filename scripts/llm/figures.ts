import { ApplicationFailure } from '@temporalio/common';
import { failureTypes, type RunEvent, type Usage } from '../../src/client.ts';

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
  tokensIn: number;
  tokensOut: number;
  warnings: number;
}

export interface Row extends Ending, Figures {
  course: string;
  seconds: number;
}

/** What a run has cost and what happened in it. @param named the warnings in its result; absent where the run failed */
export function figuresOf(events: RunEvent[], usage: Usage | null, named?: string[]): Figures {
  const count = (...types: Array<RunEvent['type']>): number => events.filter(({ type }) => types.includes(type)).length;
  return {
    calls: usage?.calls ?? 0,
    repairs: count('refused') + askedAgain(events),
    prose: events.filter((event) => event.type === 'answer' && event.fromProse === true).length,
    tokensIn: usage?.inputTokens ?? 0,
    tokensOut: usage?.outputTokens ?? 0,
    warnings: named?.length ?? count('warning'),
  };
}

/** The purposes of calls whose reply has to be one call of a certain tool, and is asked for again if it is not. */
const structured = new Set(['plan', 'criticise', 'analyse', 'validate']);

/** How often a structured reply was asked for again: each is asked for once in an iteration. */
function askedAgain(events: RunEvent[]): number {
  const asked = events.flatMap((event) =>
    event.type === 'thinking' && structured.has(event.purpose)
      ? [`${event.attempt} ${event.agent} ${event.purpose}`]
      : [],
  );
  return asked.length - new Set(asked).size;
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
  ['tokens in', ({ tokensIn }) => String(tokensIn)],
  ['tokens out', ({ tokensOut }) => String(tokensOut)],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
  ['warnings', ({ warnings }) => String(warnings)],
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
