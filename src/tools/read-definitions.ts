import { z } from 'zod';
import { checkedBy, problemText, under } from '../config/problems.ts';
import { toolTime } from '../config/tool-sources.ts';
import type { ParameterSchema } from '../protocol/message.ts';
import type { SideEffects } from '../protocol/tools/tool.ts';
import { isObject } from '../util/values.ts';
import { ToolError, type Tool, type ToolContext, type ToolDefinition } from './tool.ts';

/** How long a tool that names no timeout may run, in seconds. */
export const defaultTimeout = 60;

const definitionSchema = z.strictObject({
  name: z
    .string()
    .refine(
      (name) => /^[\w-]{1,64}$/.test(name),
      'a name has 1 to 64 letters, digits, underscores and hyphens, and nothing else',
    ),
  description: z.string().min(1),
  parameters: z.custom<object>(
    (value) => typeof value === 'object' && value !== null,
    'must be a zod schema, or a JSON Schema of an object',
  ),
  execute: z.custom<ToolDefinition['execute']>(
    (value) => typeof value === 'function',
    'must be a function (args, context)',
  ),
  sideEffects: z.literal([true, false, 'idempotent']).optional(),
  timeout: toolTime.optional(),
  workspace: z.enum(['reads', 'writes']).optional(),
});

/** Reads what a module exports as `tools`. @returns the good ones, and what is wrong with the others, with its key */
export function readDefinitions(exported: unknown): { tools: Tool[]; problems: string[] } {
  if (!Array.isArray(exported)) return { tools: [], problems: ['the export "tools" is not an array'] };
  const read = exported.map((value: unknown, index) => readDefinition(value, ['tools', index]));
  return {
    tools: read.flatMap(({ tool }) => tool ?? []),
    problems: read.flatMap(({ problems = [] }) => problems),
  };
}

function readDefinition(value: unknown, path: PropertyKey[]): { tool?: Tool; problems?: string[] } {
  const checked = checkedBy(definitionSchema, value);
  if (!checked.ok) return { problems: under(path, checked.problems).map((problem) => problemText(problem)) };
  const { name, description, parameters, sideEffects, timeout = defaultTimeout, workspace } = checked.value;
  const schema = parameterSchema(parameters);
  if (typeof schema === 'string') {
    return { problems: [problemText({ path: [...path, 'parameters'], message: schema })] };
  }
  // A method of the exported value must find its `this`.
  const definition = value as { execute(args: unknown, context: ToolContext): unknown };
  const tool: Tool = {
    spec: { name, description, parameters: schema },
    sideEffects: kindOf(sideEffects),
    timeout,
    ...(workspace !== undefined && { workspace }),
    async run(args, context) {
      const input = isZodSchema(parameters) ? await checkArguments(name, parameters, args) : args;
      return definition.execute(input, context);
    },
  };
  return { tool };
}

function kindOf(declared: ToolDefinition['sideEffects']): SideEffects {
  if (declared === undefined) return 'undeclared';
  if (declared === 'idempotent') return 'idempotent';
  return declared ? 'once' : 'none';
}

const isZodSchema = (value: object): value is z.core.$ZodType => '_zod' in value;

/** The JSON Schema of parameters that a model is shown, or a text that says what is wrong with them. */
function parameterSchema(parameters: object): ParameterSchema | string {
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
  const schema = leanSchema(parameters);
  if (schema['type'] !== 'object') {
    return `must describe an object (type: "object"), not ${JSON.stringify(schema['type']) ?? 'something without a type'}`;
  }
  const complete = { properties: {}, ...schema } as ParameterSchema;
  return unreadable(complete) ?? complete;
}

/** Leaves out what is of no use to a model: the name of a schema's dialect, and definitions that it does not refer to. */
export function leanSchema(given: object): Record<string, unknown> {
  const { $schema: _, $defs, ...schema } = given as Record<string, unknown>;
  if (!isObject($defs)) return schema;
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"/]+)/g)) {
      if (used.has(name) || !(name in $defs)) continue;
      used.add(name);
      follow($defs[name]);
    }
  };
  follow(schema);
  if (used.size === 0) return schema;
  return { ...schema, $defs: Object.fromEntries(Object.entries($defs).filter(([name]) => used.has(name))) };
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
async function checkArguments(name: string, schema: z.core.$ZodType, args: unknown): Promise<unknown> {
  const checked = await z.core.safeParseAsync(schema, args);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  throw new ToolError(`the arguments of ${name} do not fit: ${issues.join('; ')}`);
}
