import type { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';

/** One thing that is wrong with a configuration or an input, in words for the person who wrote it. */
export interface Problem {
  path: PropertyKey[];
  message: string;
}

/** `agents[0].backend.type` */
export function pathText(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  );
}

/** `team.yaml:7: agents[0].id: …`; without a place just the key and what is wrong. */
export function problemText({ path, message }: Problem, place?: string): string {
  return [place, pathText(path), message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** Turns a schema's issues into problems that name the key, the value found and the valid choices. */
export function problemsOf(schema: z.ZodType, error: z.ZodError, value: unknown): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(schema, issue, value));
}

function problemsOfIssue(schema: z.ZodType, issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path } = issue;
  const found = shown(at(value, path));
  switch (issue.code) {
    case 'unrecognized_keys': {
      const valid = keysAt(schema, path);
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `unknown key;${didYouMean(key, valid)} valid keys: ${valid.join(', ')}`,
      }));
    }
    case 'invalid_value': {
      const choices = issue.values.map(String);
      return [
        { path, message: `${found} is not one of ${choices.join(' | ')}${hintAt(at(value, path), choices)}` },
      ];
    }
    case 'invalid_union': {
      const choices = issue.errors
        .flat()
        .flatMap((each) => (each.code === 'invalid_value' ? each.values : []));
      if (choices.length === 0)
        return [{ path, message: `${found} fits none of the forms that are valid here` }];
      const texts = choices.map(String);
      return [
        { path, message: `${found} is not one of ${texts.join(' | ')}${hintAt(at(value, path), texts)}` },
      ];
    }
    case 'invalid_type':
      return [
        {
          path,
          message:
            found === 'undefined'
              ? `is missing (${a(issue.expected)})`
              : `${found} is not ${found.endsWith('Infinity') ? 'a finite number' : a(issue.expected)}`,
        },
      ];
    case 'too_small':
      return [{ path, message: tooSmall(issue, found) }];
    case 'too_big':
      return [{ path, message: `${found} is too large (at most ${String(issue.maximum)})` }];
    case 'invalid_format':
      return [{ path, message: `${found} is not a valid ${issue.format === 'url' ? 'URL' : issue.format}` }];
    default:
      return [{ path, message: issue.message }];
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, found: string): string {
  if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty';
  return `${found} is too small (${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)})`;
}

function a(expected: string): string {
  const words: Record<string, string> = {
    int: 'a whole number',
    object: 'a mapping',
    array: 'a list',
    record: 'a mapping',
  };
  return words[expected] ?? `a ${expected}`;
}

function at(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The keys that are valid in the mapping at a path: walks the schema as the path walks the value. */
function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let inner: Definition = schema as unknown as Definition;
  for (const key of path) {
    inner = unwrapped(inner);
    const next = typeof key === 'number' ? inner.def.element : inner.def.shape?.[String(key)];
    if (next === undefined) return [];
    inner = next;
  }
  return Object.keys(unwrapped(inner).def.shape ?? {});
}

/** The part of zod's definitions that `keysAt` walks. */
interface Definition {
  def: { innerType?: Definition; element?: Definition; shape?: Record<string, Definition> };
}

function unwrapped(schema: Definition): Definition {
  return schema.def.innerType === undefined ? schema : unwrapped(schema.def.innerType);
}

function hintAt(value: unknown, choices: string[]): string {
  if (value === true && choices.includes('false')) {
    return `; say which: ${choices.filter((choice) => choice !== 'false').join(' or ')}`;
  }
  const hint = typeof value === 'string' ? didYouMean(value, choices) : '';
  return hint === '' ? '' : `;${hint.replace(/;$/, '')}`;
}
