import type { ParameterSchema } from '../../protocol/message.ts';

/** The part of a parameter's JSON Schema that is read. */
interface Parameter {
  type?: unknown;
  enum?: unknown[];
  pattern?: string;
}

/** Parameters that take the name of a place. */
const place = /^(?:city|town|place|location)(?:_?name)?$/i;

/**
 * Arguments that stand in a text: a choice, a word of a pattern, the name of a place. What stands there twice, in
 * different ways, is none.
 *
 * @returns undefined where one that is required is missing
 */
export function argumentsFrom(
  text: string,
  { properties, required = [] }: ParameterSchema,
): Record<string, unknown> | undefined {
  const parameters = Object.entries(properties).map(
    ([name, schema]) => [name, (schema ?? {}) as Parameter] as const,
  );
  const choices = new Set(
    parameters.flatMap(([, schema]) => textsOf(schema.enum ?? []).map((choice) => choice.toLowerCase())),
  );
  const names = namesIn(text).filter((name) => !choices.has(name.toLowerCase()));
  const found = parameters.flatMap(([name, schema]) => {
    const value = only(candidates(name, schema, wordsOf(text), names));
    return value === undefined ? [] : [[name, value] as const];
  });
  const input = Object.fromEntries(found);
  return required.every((name) => name in input) ? input : undefined;
}

function candidates(
  parameter: string,
  { type, enum: choices, pattern }: Parameter,
  words: string[],
  names: string[],
): string[] {
  if (choices !== undefined) {
    const said = new Set(words.map((word) => word.toLowerCase()));
    return textsOf(choices).filter((choice) => said.has(choice.toLowerCase()));
  }
  if (type !== 'string') return [];
  if (pattern !== undefined) return words.filter((word) => matches(word, pattern));
  return place.test(parameter) ? names : [];
}

const textsOf = (values: unknown[]): string[] => values.filter((value) => typeof value === 'string');

const wordsOf = (text: string): string[] => text.split(/[\s,;:!?()"]+/).filter((word) => word !== '');

function matches(word: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(word);
  } catch {
    return false;
  }
}

/** Words with a capital, neighbours together; the first word has one anyway. */
function namesIn(text: string): string[] {
  const name = /\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)*/gu;
  return text.replace(/^\s*\S+/, '').match(name) ?? [];
}

function only(values: string[]): string | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}
