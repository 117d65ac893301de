import type { Tool as McpTool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import type { SideEffects } from '../../protocol/tool.ts';
import { unreadable, withoutDialect } from '../parameters.ts';

/**
 * What running a server's tool twice would do, as far as its hints say.
 * None is taken for `none`: a call that leaves the worker may last, so it is no matter for a local activity.
 */
export function sideEffectsOf({
  readOnlyHint,
  idempotentHint,
  destructiveHint,
}: ToolAnnotations = {}): SideEffects {
  if (readOnlyHint) return 'undeclared';
  if (idempotentHint) return 'idempotent';
  return readOnlyHint === false || destructiveHint ? 'once' : 'undeclared';
}

/** A server's tool as a model is offered it. Models take fewer characters in a name than servers do. */
export function specOf({ name, title, description, inputSchema }: McpTool): ToolSpec {
  return {
    name: name.replaceAll(/[^\w-]/g, '_').slice(0, 64),
    description: description ?? title ?? name,
    parameters: checkable(inputSchema),
  };
}

/** A schema that arguments can be checked against: what zod cannot read is let through, since the server checks too. */
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
