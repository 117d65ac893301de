import type { z } from 'zod';
import { redact } from '../util/text/redact.ts';
import { shortened } from '../workflows/runtime/size.ts';

/** One thing that is wrong with a configuration or an input, in words for the person who wrote it. */
export interface Problem {
  path: PropertyKey[];
  message: string;
}

/** A value with its defaults filled in, or everything that is wrong with it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

export function checkedBy<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const { success, data, error } = schema.safeParse(value);
  return success ? { ok: true, value: data } : { ok: false, problems: problemsOf(schema, error, value) };
}

/** A refinement that refuses a second entry with the same key, such as `id`. */
export const unique =
  <Key extends string>(key: Key, what: string) =>
  (list: Array<Record<Key, string>>, context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    list.forEach((each, index) => {
      if (seen.has(each[key])) {
        const message = `a second ${what} of the ${key} "${each[key]}"`;
        context.addIssue({ code: 'custom', path: [index, key], message });
      }
      seen.add(each[key]);
    });
  };

/** Makes problems of a part those of the whole, in which the part has a path. */
export const under = (path: PropertyKey[], problems: Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));

/** A problem in one line: `team.yaml:7: agents[0].id: …`, or without a place only the key and what is wrong. */
export function problemText({ path, message }: Problem, place?: string): string {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return [place, steps.join('').replace(/^\./, ''), message].filter(Boolean).join(': ');
}

/** Whoever sends hundreds of thousands of unknown keys is not to occupy others by that. */
const maxProblems = 100;

/** Turns issues into problems that name the key, the value found and the valid choices. */
export function problemsOf(schema: z.ZodType, error: z.ZodError, value: unknown): Problem[] {
  const problems = error.issues.slice(0, maxProblems).flatMap((issue) => {
    const { path } = issue;
    if (issue.code !== 'unrecognized_keys') return [{ path, message: messageOf(issue, at(value, path)) }];
    const valid = keysAt(schema, path);
    const choices = valid.length === 0 ? 'there are none here' : `valid keys: ${valid.join(', ')}`;
    return issue.keys.slice(0, maxProblems).map((key) => ({
      path: [...path, key],
      message: `unknown key;${didYouMean(key, valid)} ${choices}`,
    }));
  });
  return problems.slice(0, maxProblems);
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  const found = shown(value);
  switch (issue.code) {
    case 'invalid_value':
      return noChoice(value, issue.values);
    case 'invalid_union': {
      const choices = issue.errors.flat().flatMap((each) => (each.code === 'invalid_value' ? each.values : []));
      if (choices.length > 0) return noChoice(value, choices);
      // The message that the schema gives to a union names its valid forms.
      return found === 'undefined' ? `is missing (${issue.message})` : `${found} is not ${issue.message}`;
    }
    case 'invalid_type':
      if (found === 'undefined') return `is missing (${a(issue.expected)})`;
      return `${found} is not ${found.endsWith('Infinity') ? 'a finite number' : a(issue.expected)}`;
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty';
      return `${found} is too small (${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum})`;
    case 'too_big':
      return `${found} is too large (at most ${issue.maximum})`;
    case 'invalid_format':
      return `${found} is not a valid ${issue.format === 'url' ? 'URL, which begins with http:// or https://' : issue.format}`;
    default:
      return issue.message;
  }
}

function noChoice(value: unknown, values: readonly unknown[]): string {
  const choices = values.map(String);
  if (value === undefined) return `is missing (${choices.join(' | ')})`;
  const others = choices.filter((choice) => choice !== 'false');
  const whichOthers = value === true && others.length < choices.length;
  const nearest = typeof value === 'string' ? didYouMean(value, choices) : '';
  const hint = whichOthers ? ` say which: ${others.join(' or ')}` : nearest;
  return `${shown(value)} is not one of ${choices.join(' | ')}${hint && `;${hint}`}`;
}

const words: Record<string, string> = {
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  record: 'an object',
};

const a = (expected: string): string => words[expected] ?? `a ${expected}`;

const at = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

function shown(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return String(value);
  return shortened(redact(JSON.stringify(value), []), 60);
}

/** What `keysAt` reads of zod's own definitions. */
interface Definition {
  def: {
    innerType?: Definition;
    in?: Definition;
    element?: Definition;
    shape?: Record<string, Definition>;
    valueType?: Definition;
  };
}

/** The valid keys of the mapping at a path. */
function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let { def } = unwrapped(schema as unknown as Definition);
  for (const key of path) {
    const next = typeof key === 'number' ? def.element : (def.shape?.[String(key)] ?? def.valueType);
    if (next === undefined) return [];
    ({ def } = unwrapped(next));
  }
  return Object.keys(def.shape ?? {});
}

function unwrapped(schema: Definition): Definition {
  const inner = schema.def.innerType ?? schema.def.in;
  return inner === undefined ? schema : unwrapped(inner);
}

/** ` did you mean …?` with the choice nearest to a mistyped word, or one that goes on where it ends, or an empty string. */
export function didYouMean(word: string, choices: string[]): string {
  const furthest = Math.max(2, word.length / 4);
  // The distance of words takes a time that grows with both, and is no less than the difference of their lengths.
  const near = choices.filter((choice) => Math.abs(choice.length - word.length) <= furthest);
  const [first] = nearest(word, near);
  const isNear = first !== undefined && distanceOf(word, first) <= furthest;
  const meant = isNear ? first : choices.find((choice) => choice.startsWith(`${word}_`));
  return meant === undefined ? '' : ` did you mean ${meant}?`;
}

/** The choices, those first that are nearest to a mistyped word. */
export const nearest = (word: string, choices: string[]): string[] =>
  choices.toSorted((one, other) => distanceOf(word, one) - distanceOf(word, other));

const distanceOf = (one: string, other: string): number => distance(one.toLowerCase(), other.toLowerCase());

/** The Levenshtein distance: how many letters must be changed, added or left out. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
