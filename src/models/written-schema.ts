import type { ToolSpec } from '../protocol/message.ts';
import type { ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import type { ParameterQuirks } from './parameter-quirks.ts';
import type { ModelRequest } from './model.ts';
import { strictSchema } from './strict-schema.ts';

export const usable = (tools: ToolSpec[], choice: ToolChoice = 'auto'): ToolSpec[] =>
  typeof choice === 'object' ? tools.filter(({ name }) => choice.oneOf.includes(name)) : tools;

/** For a text that calls a tool; undefined where none is wanted, or the server takes none or can be made to call. */
export function writtenSchema(
  { bySchema, tools, toolChoice }: Pick<ModelRequest, 'bySchema' | 'tools' | 'toolChoice'>,
  { forcedTools, strictSchemas }: Capabilities,
  quirks: ParameterQuirks,
): { name: string; schema: Record<string, unknown> } | undefined {
  if (bySchema === undefined || forcedTools || !quirks.takesSchemas) return undefined;
  const calls = usable(tools, toolChoice)
    .filter(({ name }) => bySchema.includes(name))
    .map(({ name, parameters }) => ({
      type: 'object',
      properties: {
        name: { type: 'string', enum: [name] },
        // Who holds arguments to schemas takes no bounds in them, and its models come to an end.
        arguments: (strictSchemas && strictSchema(parameters)) || bounded(parameters),
      },
      required: ['name', 'arguments'],
      additionalProperties: false,
    }));
  const [only, ...others] = calls;
  if (only === undefined) return undefined;
  return { name: 'call', schema: others.length === 0 ? only : { anyOf: calls } };
}

/** Whether a reply may, or has to, call any tool, or one alone. */
export function choiceOf(
  choice: ToolChoice = 'auto',
  canForce: boolean,
): 'none' | 'auto' | 'required' | { only: string } {
  if (choice === 'none') return choice;
  if (choice === 'auto' || !canForce) return 'auto';
  const [only, ...others] = choice === 'required' ? [] : choice.oneOf;
  return only !== undefined && others.length === 0 ? { only } : 'required';
}

/** In characters: the texts that are what was asked for have the limit of the reply. */
const longestText = 500;
const whole = ['content', 'result', 'answer', 'text', 'summary'];

const mostItems = 20;

/** Lists within the items of a list hold names, such as the ids on which a subtask depends. */
const longestName = 100;

/** A small model may go on inside of a text to the limit. @param lists in how many lists the schema stands */
function bounded(schema: unknown, name = '', lists = 0): unknown {
  if (Array.isArray(schema)) return schema.map((each) => bounded(each, '', lists));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown };
  const [isText, isList] = [type === 'string' && values === undefined && !whole.includes(name), type === 'array'];
  const within = isList ? lists + 1 : lists;
  const entries = Object.entries(schema).map(([key, value]) => [key, bounded(value, key, within)] as const);
  return {
    ...(isText && { maxLength: lists > 1 ? longestName : longestText }),
    ...(isList && { maxItems: mostItems }),
    ...Object.fromEntries(entries),
  };
}
