import { deepest, referred, type Schema } from './tool-schema.ts';

/**
 * A schema with the little that all providers know, Google's among them: one type each, texts to choose from, no
 * references, no limits.
 */
export function plainSchema(parameters: Schema): Schema {
  const plain = plainOf(parameters, parameters, 0);
  return { ...plain, type: 'object', properties: plain['properties'] ?? {} };
}

function plainOf(given: unknown, root: Schema, depth: number): Schema {
  const schema = referred(given, root);
  if (schema === undefined || depth > deepest) return { type: 'string' };
  const { description, type, properties, items, enum: choices, const: value, required } = schema;
  const told = typeof description === 'string' ? { description } : {};
  const [variant] = ['anyOf', 'oneOf', 'allOf']
    .flatMap((key) => (schema[key] ?? []) as unknown[])
    .filter((each) => referred(each, root)?.['type'] !== 'null');
  if (type === undefined && variant !== undefined) return { ...plainOf(variant, root, depth + 1), ...told };
  const texts = ((choices ?? [value]) as unknown[]).filter((each) => typeof each === 'string' && each !== '');
  const kind = [type].flat().find((each) => each !== 'null' && each !== undefined) ?? kindOf(schema);
  if (kind === 'object') {
    const inner = Object.entries((properties ?? {}) as Schema).map(([name, each]) => [
      name,
      plainOf(each, root, depth + 1),
    ]);
    const known = Object.fromEntries(inner) as Schema;
    const needed = ((required ?? []) as string[]).filter((name) => name in known);
    return { type: kind, ...told, properties: known, ...(needed.length > 0 && { required: needed }) };
  }
  if (kind === 'array') return { type: kind, ...told, items: plainOf(items, root, depth + 1) };
  return { type: kind, ...told, ...(kind === 'string' && texts.length > 0 && { enum: texts }) };
}

function kindOf({ properties, items, const: value, enum: [first] = [value] }: Schema & { enum?: unknown[] }): string {
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  return typeof first === 'number' || typeof first === 'boolean' ? typeof first : 'string';
}
