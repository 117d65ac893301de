import { z } from 'zod';
import type { ParameterSchema } from '../protocol/message.ts';
import { ToolError } from './tool.ts';

/** Whether a value is a schema of zod 4, of whatever copy. */
export const isZodSchema = (value: object): value is z.core.$ZodType => '_zod' in value;

/** @returns the JSON Schema that a model is shown, or what is wrong */
export function parameterSchema(parameters: object): ParameterSchema | string {
  if (!isZodSchema(parameters)) {
    const old = '_def' in parameters;
    return old ? 'is a schema of zod 3; use zod 4 or a JSON Schema' : readable(parameters as Record<string, unknown>);
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

/** The dialect that a schema names is of no use to a model. */
export function withoutDialect(schema: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

/** Why a schema cannot be checked against; undefined where it can. */
export function unreadable(schema: object): string | undefined {
  try {
    z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return undefined;
  } catch (error) {
    return `cannot be checked against: ${(error as Error).message}`;
  }
}

/** Applies a zod schema with its defaults and transforms. @throws `ToolError` with all that does not fit */
export async function checkArguments(name: string, schema: z.core.$ZodType, args: unknown): Promise<unknown> {
  const checked = await z.core.safeParseAsync(schema, args);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  throw new ToolError(`the arguments of ${name} do not fit: ${issues.join('; ')}`);
}
