import type { ToolSpec } from '../protocol/message.ts';
import type { ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import type { Learned } from './learned.ts';
import type { ModelRequest } from './model.ts';
import { strictSchema } from './strict-schema.ts';

/** The tools of a conversation that a reply may call. */
export const usable = (tools: ToolSpec[], choice: ToolChoice = 'auto'): ToolSpec[] =>
  typeof choice === 'object' ? tools.filter(({ name }) => choice.oneOf.includes(name)) : tools;

/** What a reply's text has to be, as all providers take it. */
export interface WrittenSchema {
  name: string;
  schema: Record<string, unknown>;
}

/**
 * The schema of a text that is a call of one of the tools that it names, as `writtenCall` reads it; undefined where none is
 * wanted, or the server takes none or can be made to call.
 */
export function writtenSchema(
  { bySchema, tools, toolChoice }: Pick<ModelRequest, 'bySchema' | 'tools' | 'toolChoice'>,
  { forcedTools, strictSchemas }: Capabilities,
  learned: Learned,
): WrittenSchema | undefined {
  if (bySchema === undefined || forcedTools || !learned.takesSchemas) return undefined;
  const calls = usable(tools, toolChoice)
    .filter(({ name }) => bySchema.includes(name))
    .map(({ name, parameters }) => ({
      type: 'object',
      properties: {
        name: { type: 'string', enum: [name] },
        arguments: (strictSchemas && strictSchema(parameters)) || parameters,
      },
      required: ['name', 'arguments'],
      additionalProperties: false,
    }));
  const [only, ...others] = calls;
  if (only === undefined) return undefined;
  return { name: 'call', schema: others.length === 0 ? only : { anyOf: calls } };
}
