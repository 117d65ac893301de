import { shortened } from './size.ts';

/** A value that came from outside, as a message quotes it. */
export const quoted = (value: unknown): string => shortened(JSON.stringify(value) ?? 'undefined', 60);

/**
 * What is wrong with a message whose fields are texts, some of them optional: `answer: 5 is not a text`. A key that is none is
 * wrong too, since what was meant by it would not be done. @param form such as `{reason, instructions}` @param others keys of
 * which the caller looks at the values
 */
export function textsProblem(
  message: unknown,
  form: string,
  needed: string[],
  optional: string[] = [],
  others: string[] = [],
): string | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return `${quoted(message)} is not an object ${form}`;
  const fields = message as Record<string, unknown>;
  const unknown = Object.keys(fields).find((key) => ![...needed, ...optional, ...others].includes(key));
  if (unknown !== undefined) return `${quoted(unknown)} is no key of it: it is an object ${form}`;
  for (const key of [...needed, ...optional]) {
    const value = fields[key];
    if (value === undefined && needed.includes(key)) return `${key} is missing: it is an object ${form}`;
    if (value !== undefined && typeof value !== 'string') return `${key}: ${quoted(value)} is not a text`;
  }
  return undefined;
}
