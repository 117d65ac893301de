import { z } from 'zod';
import type { ParameterSchema } from '../protocol/message.ts';
import { isObject } from '../util/values.ts';
import { ToolError } from './tool.ts';

/** Whether a value is a schema of zod 4, of Reprise's copy or of the user's. */
export const isZodSchema = (value: object): value is z.core.$ZodType => '_zod' in value;

/** The JSON Schema of parameters that a model is shown, or a text that says what is wrong with them. */
export function parameterSchema(parameters: object): ParameterSchema | string {
  if (!isZodSchema(parameters)) {
    if ('_def' in parameters) return 'is a schema of zod 3; use zod 4 or a JSON Schema';
    const isShape = Object.values(parameters).some((value) => isObject(value) && isZodSchema(value));
    return isShape ? 'must be a schema of an object: put z.object( … ) around it' : readable({ ...parameters });
  }
  try {
    return readable(z.toJSONSchema(parameters, { io: 'input' }));
  } catch (error) {
    return `has no JSON Schema: ${(error as Error).message}`;
  }
}

function readable(parameters: Record<string, unknown>): ParameterSchema | string {
  const schema = withoutDialect(parameters);
  if (schema['type'] !== 'object') {
    return `must describe an object (type: "object"), not ${JSON.stringify(schema['type']) ?? 'something without a type'}`;
  }
  const complete = { properties: {}, ...schema } as ParameterSchema;
  return unreadable(complete) ?? complete;
}

/** Leaves out the name of a schema's dialect, which is of no use to a model. */
export function withoutDialect(schema: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

/** Why arguments cannot be checked against a JSON Schema; undefined if they can. */
export function unreadable(schema: object): string | undefined {
  try {
    z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return undefined;
  } catch (error) {
    return `cannot be checked against: ${(error as Error).message}`;
  }
}

/** Applies a zod schema with its defaults and transforms. @throws `ToolError` with everything that does not fit */
export async function checkArguments(name: string, schema: z.core.$ZodType, args: unknown): Promise<unknown> {
  const checked = await z.core.safeParseAsync(schema, args);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  throw new ToolError(`the arguments of ${name} do not fit: ${issues.join('; ')}`);
}
