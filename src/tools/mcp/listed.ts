import type { Tool as McpTool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import type { SideEffects } from '../../protocol/tools/tool.ts';
import { unreadable, withoutDialect } from '../read-definitions.ts';

/**
 * What running a server's tool twice would do, as far as its hints tell. The kind `none` is never used, since such calls run
 * within the model's call that wants them, and one that leaves the worker may take too long for that.
 */
export function sideEffectsOf({ readOnlyHint, idempotentHint, destructiveHint }: ToolAnnotations = {}): SideEffects {
  if (readOnlyHint) return 'undeclared';
  if (idempotentHint) return 'idempotent';
  return readOnlyHint === false || destructiveHint ? 'once' : 'undeclared';
}

/** A name as models take it, which allow fewer characters than servers do. */
export const nameForModels = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64);

export function specOf({ name, title, description, inputSchema }: McpTool): ToolSpec {
  return {
    name: nameForModels(name),
    description: description ?? title ?? name,
    parameters: checkable(inputSchema),
  };
}

/** A schema to check arguments against. It lets through what zod cannot read, since the server checks it too. */
function checkable(inputSchema: McpTool['inputSchema']): ParameterSchema {
  const complete = { properties: {}, ...withoutDialect(inputSchema) } as unknown as ParameterSchema;
  if (unreadable(complete) === undefined) return complete;
  const { properties, required } = complete;
  const definitions = '$defs' in complete ? { $defs: complete.$defs } : {};
  const readable = Object.entries(properties).map(([name, property]) => {
    const alone = { type: 'object', properties: { [name]: property }, ...definitions };
    return [name, unreadable(alone) === undefined ? property : described(property)];
  });
  const lenient = {
    type: 'object' as const,
    properties: Object.fromEntries(readable) as Record<string, unknown>,
    ...(required && { required }),
  };
  const whole = { ...lenient, ...definitions };
  return unreadable(whole) === undefined ? whole : lenient;
}

const described = (property: unknown): object => ({
  description: (property as { description?: string } | null)?.description ?? '',
});
