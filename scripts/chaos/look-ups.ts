import { calls } from '../../test/support/agent-script.ts';
import type { Scripted, Seen } from '../../test/support/model-server.ts';

/** What an agent has read by a quick tool: the result that it was shown for its call. */
export interface Reading {
  run: string;
  /** The provider's id of the call. */
  call: string;
  /** What the call was about. */
  subject: string;
  result: string;
}

/** What somebody was told, and what its sentences of `saysWhatItRead` must be about: a run, or one turn of it. */
export interface Told {
  about: string;
  text: string;
}

/** The name of the quick tool, which gives a mark of its subject back. It has no side effects, and several run at a time. */
export const lookUp = 'look_up';

const markOf = (subject: string): string => `[read ${subject}]`;

const isMark = (result: string): boolean => /^\[read [^\]]+\]$/.test(result);

/**
 * The calls of the quick tool that an agent still has to make, so many in one reply and then so many in the next. One whose
 * result is a failure is made again, but not for ever. Where a reply may call other tools alone, none is left.
 *
 * @param looks how many of them each reply makes
 * @param operation names what the agent is at, and nobody else
 */
export function looksUp(looks: number[], operation: string, seen: Pick<Seen, 'body' | 'tools'>): Scripted | undefined {
  if (seen.tools.length > 0 && !seen.tools.includes(lookUp)) return undefined;
  const read = Map.groupBy(readingsIn(seen), ({ subject }) => subject);
  const isDone = (subject: string): boolean => {
    const tries = read.get(subject) ?? [];
    return tries.length > 2 || tries.some(({ result }) => isMark(result));
  };
  let number = 0;
  for (const count of looks) {
    const subjects = Array.from({ length: count }, () => `${operation}, ${++number}`);
    const left = subjects.filter((subject) => !isDone(subject));
    if (left.length > 0) return calls(...left.map((subject): [string, object] => [lookUp, { subject }]));
  }
  return undefined;
}

/** A sentence with all that an agent's calls have brought it, whatever it is. */
export function saysWhatItRead(operation: string, seen: Pick<Seen, 'body'>): string {
  const own = readingsIn(seen).filter(({ subject, result }) => subject.startsWith(`${operation}, `) && isMark(result));
  return [`Read by ${operation}:`, ...own.map(({ result }) => result)].join(' ');
}

/** The sentences in a text, without repetitions. */
export const sentencesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(sentences)].map(([sentence]) => sentence)),
];

const sentences = /Read by ([^:\]]+):((?: \[read [^\]]+\])*)/g;

type Item = Record<string, unknown>;

/** The calls of the quick tool that a request of OpenAI's Responses shows with their results, by the provider's ids. */
export function readingsIn({ body }: Pick<Seen, 'body'>): Array<Omit<Reading, 'run'>> {
  const items = (body['input'] ?? []) as Item[];
  const results = new Map(
    items.filter(({ type }) => type === 'function_call_output').map(({ call_id: id, output }) => [id, output]),
  );
  return items.flatMap((item) => {
    const { call_id: id, name, type } = item;
    const subject = subjectOf(item);
    const isRead = type === 'function_call' && name === lookUp && results.has(id);
    return isRead && subject !== undefined ? [{ call: String(id), subject, result: textOf(results.get(id)) }] : [];
  });
}

const textOf = (output: unknown): string =>
  typeof output === 'string' ? output : (output as Item[]).map(({ text }) => String(text)).join('');

/** What a call is about; undefined where the model has written half of it. */
function subjectOf({ arguments: input }: Item): string | undefined {
  try {
    return (JSON.parse(String(input)) as { subject?: string }).subject;
  } catch {
    return undefined;
  }
}

/** Results that came to another call than the one that they are of, and sentences with results of another agent. */
export function swappedIn(readings: Reading[], told: Told[]): string[] {
  const evidence = [
    ...readings
      .filter(({ result, subject }) => isMark(result) && result !== markOf(subject))
      .map(({ call, result, run, subject }) => `${run}: ${call} was about ${subject} and got ${result}`),
    ...told.flatMap(({ about, text }) =>
      [...text.matchAll(sentences)]
        .filter(([, who = '', marks = '']) => !isOwn(about, who) || strangers(who, marks).length > 0)
        .map(([sentence]) => `${about}: says "${sentence}"`),
    ),
  ];
  // What an agent says may be in requests and in the result.
  return [...new Set(evidence)];
}

const isOwn = (about: string, who: string): boolean => who === about || who.startsWith(`${about} `);

const strangers = (who: string, marks: string): string[] =>
  (marks.match(/\[[^\]]+\]/g) ?? []).filter((mark) => !mark.startsWith(`[read ${who}, `));

/** How many results were marks, and the words of all that were not: those are failures. */
export function countReadings(readings: Reading[]): { read: number; failed: string[] } {
  const failed = readings.filter(({ result }) => !isMark(result));
  return { read: readings.length - failed.length, failed: failed.map(({ result }) => result) };
}
