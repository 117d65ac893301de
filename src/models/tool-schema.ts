import type { ParameterSchema, ToolSpec } from '../protocol/message.ts';
import { isObject } from '../util/values.ts';

// Tools come from strangers' servers, and a provider refuses a whole request for one schema that it does not like.

export type Schema = Record<string, unknown>;

/**
 * A tool as OpenAI and Anthropic take it: a valid schema (draft 2020-12) whose lists have `items`, and whose root has no
 * choices. What a choice on the root has demanded stands in the description; the tool itself checks it.
 */
export function acceptedTool(tool: ToolSpec): ToolSpec {
  const { choices, ...parameters } = withoutChoices(valid(tool.parameters) as Schema);
  const description = choices.length < 2 ? tool.description : `${tool.description}\n\nGive ${choices.join(', or ')}.`;
  return { ...tool, description, parameters: parameters as unknown as ParameterSchema };
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean';

function isPattern(value: unknown): boolean {
  try {
    return isText(value) && new RegExp(value as string, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const isType = (value: unknown): boolean => {
  const named = [value].flat();
  return named.length > 0 && named.every((each) => types.includes(each as string));
};

/** What a keyword may hold; others are notes. Drafts before 2020-12, and slips, have something else there. */
const values: Record<string, (value: unknown) => boolean> = {
  type: isType,
  description: isText,
  title: isText,
  format: isText,
  $ref: isText,
  pattern: isPattern,
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: (value) => Array.isArray(value) && value.every(isText),
  ...Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((key) => [key, isNumber]),
  ),
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((key) => [key, isCount]),
  ),
};

const ones = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

function valid(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([key, value]): Array<[string, unknown]> => {
    // The form for tuples before draft 2020-12.
    if (key === 'items' && Array.isArray(value)) return [['prefixItems', value.filter(isSchema).map(valid)]];
    if (ones.includes(key)) return isSchema(value) ? [[key, valid(value)]] : [];
    if (lists.includes(key)) return Array.isArray(value) ? [[key, value.filter(isSchema).map(valid)]] : [];
    if (maps.includes(key)) return isObject(value) ? [[key, validEach(value)]] : [];
    return (values[key]?.(value) ?? true) ? [[key, value]] : [];
  });
  const whole: Schema = Object.fromEntries(kept);
  for (const key of lists) if ((whole[key] as unknown[] | undefined)?.length === 0) delete whole[key];
  const isList = [whole['type']].flat().includes('array');
  return isList && whole['items'] === undefined ? { ...whole, items: {} } : whole;
}

const validEach = (map: Schema): Schema =>
  Object.fromEntries(Object.entries(map).flatMap(([name, value]) => (isSchema(value) ? [[name, valid(value)]] : [])));

/** The keywords that no provider takes on the root of a tool's schema. */
const refusedOnRoot = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if', 'then', 'else', 'dependentSchemas', '$ref'];

/** Puts the properties of all choices side by side. @returns beside the schema what each choice demands, as a text */
function withoutChoices(root: Schema): Schema & { choices: string[] } {
  if (!refusedOnRoot.some((key) => key in root)) return { ...root, choices: [] };
  const { properties, required, choices } = gathered(root, root);
  const rest = Object.entries(root).filter(([key]) => !refusedOnRoot.includes(key));
  const merged = [...properties].map(([name, forms]) => [name, either(forms)]);
  return { ...Object.fromEntries(rest), properties: Object.fromEntries(merged), required: [...required], choices };
}

interface Gathered {
  properties: Map<string, unknown[]>;
  required: Set<string>;
  choices: string[];
}

/** How deep choices are followed, which may refer to themselves. */
export const deepest = 5;

function gathered(given: unknown, root: Schema, depth = 0): Gathered {
  const schema = referred(given, root);
  const all: Gathered = { properties: new Map(), required: new Set(), choices: [] };
  if (schema === undefined || depth > deepest) return all;
  const add = ({ properties }: Gathered): void => {
    for (const [name, forms] of properties) all.properties.set(name, [...(all.properties.get(name) ?? []), ...forms]);
  };
  for (const [name, form] of Object.entries((schema['properties'] ?? {}) as Schema)) all.properties.set(name, [form]);
  const inner = (key: string): Gathered[] => [schema[key] ?? []].flat().map((each) => gathered(each, root, depth + 1));
  const needed = [(schema['required'] ?? []) as string[]];
  for (const part of inner('allOf')) {
    add(part);
    needed.push([...part.required]);
    all.choices.push(...part.choices);
  }
  for (const key of ['anyOf', 'oneOf']) {
    const parts = inner(key);
    parts.forEach(add);
    const common = [...(parts[0]?.required ?? [])].filter((name) => parts.every(({ required }) => required.has(name)));
    needed.push(common);
    const demanded = parts.map((part) => demandOf(part, common));
    if (new Set(demanded).size > 1 && !demanded.includes('')) all.choices.push(...new Set(demanded));
  }
  for (const part of ['if', 'then', 'else'].flatMap(inner)) add(part);
  for (const name of needed.flat()) all.required.add(name);
  return all;
}

/** What one choice has and the others may not, such as `action "close" with id`. */
function demandOf({ properties, required }: Gathered, common: string[]): string {
  const fixed = [...properties].flatMap(([name, [form]]) => {
    const value = isObject(form) ? form['const'] : undefined;
    return value === undefined ? [] : [`${name} ${JSON.stringify(value)}`];
  });
  const names = [...required].filter(
    (name) => !common.includes(name) && !fixed.some((each) => each.startsWith(`${name} `)),
  );
  return [fixed.join(' and '), names.join(' and ')].filter((part) => part !== '').join(' with ');
}

/** A property that choices describe in several ways. */
function either(forms: unknown[]): unknown {
  const known = new Map(forms.map((form) => [JSON.stringify(form), form]));
  const [only, ...others] = known.values();
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

/** What a schema refers to, as far as that is one of its own definitions. */
export function referred(schema: unknown, root: Schema): Schema | undefined {
  if (!isObject(schema)) return undefined;
  const [, place, name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema['$ref'])) ?? [];
  if (place === undefined) return schema;
  const target = (root[place] as Schema | undefined)?.[name];
  return isObject(target) ? target : undefined;
}
