import type { ParameterSchema } from '../protocol/message.ts';
import { isObject } from '../util/values.ts';

type Schema = Record<string, unknown>;

/** https://developers.openai.com/api/docs/guides/structured-outputs */
const keywords = new Set([
  'type',
  'description',
  'title',
  'enum',
  'const',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
]);

/** Well below the provider's own limits, which have changed several times. */
const maxDepth = 5;

/**
 * Closed objects with every key required. A key that may be absent becomes one that may be null, on the first level
 * alone, where null is read as absent. Undefined if that would change the meaning, as of free keys.
 */
export function strictSchema(parameters: ParameterSchema): Schema | undefined {
  const required = new Set(parameters.required);
  const properties = Object.entries(parameters.properties).map(([name, value]) => {
    const closed = closedSchema(value, 2);
    return [name, closed && !required.has(name) ? orNull(closed) : closed] as const;
  });
  if (!isAllowed(parameters as unknown as Schema)) return undefined;
  if (properties.some(([, value]) => value === undefined)) return undefined;
  return {
    ...parameters,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}

const isAllowed = (schema: Schema): boolean =>
  Object.keys(schema).every((key) => keywords.has(key)) && (schema['additionalProperties'] ?? false) === false;

/** Below the first level; undefined if it has no meaning of its own. */
function closedSchema(value: unknown, depth: number): Schema | undefined {
  if (!isObject(value) || depth > maxDepth || !isAllowed(value)) return undefined;
  const schema = value;
  if (schema['anyOf'] !== undefined) {
    const choices = (schema['anyOf'] as unknown[]).map((choice) => closedSchema(choice, depth + 1));
    return choices.includes(undefined) ? undefined : { ...schema, anyOf: choices };
  }
  if (schema['type'] === 'array') {
    const items = closedSchema(schema['items'], depth + 1);
    return items && { ...schema, items };
  }
  if (schema['type'] !== 'object') {
    const isTyped = typeof schema['type'] === 'string' || Array.isArray(schema['type']);
    const holdsOthers = Array.isArray(schema['type']) && schema['type'].some((each) => /^(object|array)$/.test(each));
    return isTyped && !holdsOthers ? schema : undefined;
  }
  const properties = Object.entries((schema['properties'] ?? {}) as Schema).map(
    ([name, inner]) => [name, closedSchema(inner, depth + 1)] as const,
  );
  const required = (schema['required'] ?? []) as string[];
  const isWhole = properties.length > 0 && properties.every(([name, inner]) => inner && required.includes(name));
  if (!isWhole) return undefined;
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}

function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  const isPlain = typeof type === 'string' && type !== 'object' && type !== 'array' && schema['const'] === undefined;
  if (!isPlain) return { anyOf: [schema, { type: 'null' }] };
  if (type === 'null') return schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) };
}
