import { isMac, macOf } from '../../trust/mac.ts';

/**
 * Where the part of a run begins that one answer tells: behind the event of this number, which asked a person, or with 0 at the
 * beginning. All ids are made of it, so that any server finds what they name.
 */
export interface Place {
  run: string;
  seq: number;
}

type IdKind = 'chatcmpl' | 'resp' | 'msg' | 'rs' | 'fc' | 'call';

const textOf = ({ run, seq }: Place): string => (seq === 0 ? run : `${run}.${seq}`);

export const idOf = (kind: IdKind, place: Place): string => `${kind}_${textOf(place)}`;

/** The place that an id names; undefined where it is none of this kind. */
export const placeIn = (kind: IdKind, id: string): Place | undefined =>
  id.startsWith(`${kind}_`) ? placeOf(id.slice(kind.length + 1)) : undefined;

function placeOf(text: string): Place | undefined {
  const [, run, seq = '0'] = /^([\w-]{1,200})(?:\.([1-9]\d{0,8}))?$/.exec(text) ?? [];
  return run === undefined ? undefined : { run, seq: Number(seq) };
}

const marks = /\[reprise ([\w.-]+) ([\w-]+)\]/g;

/**
 * What a question that is told as text ends with, by which the next message is known as its answer: clients send back all that
 * was said. The MAC keeps a model from writing one.
 */
export const markOf = (owner: string, place: Place): string =>
  `[reprise ${textOf(place)} ${macOf(owner, ['asked', textOf(place)])}]`;

/** The place of the question that a text ends with; undefined where it is none. What a model has written comes before it. */
export function markedIn(owner: string, text: string): Place | undefined {
  const [, place = '', mac] = [...text.matchAll(marks)].at(-1) ?? [];
  return isMac(owner, ['asked', place], mac) ? placeOf(place) : undefined;
}

export function withoutMark(text: string): string {
  const bare = text.replaceAll(marks, '');
  return bare === text ? text : bare.trimEnd();
}
