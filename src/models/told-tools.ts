import type { AssistantMessage, Message, ToolMessage, ToolSpec } from '../protocol/message.ts';
import { readableArguments, type ModelRequest } from './model.ts';
import type { ParameterQuirks } from './parameter-quirks.ts';
import { usable } from './written-schema.ts';

/**
 * The same conversation for a model whose server takes no tools: the system message tells of them, and calls and results
 * are words. What the model calls is read from its text (src/activities/tools/written-call.ts). Where the server takes
 * tools, it is the request itself.
 *
 * @param schema that the reply has to fit, which no call in this form would do
 */
export function toldRequest(
  request: ModelRequest,
  { takesTools }: Pick<ParameterQuirks, 'takesTools'>,
  schema: object | undefined,
): ModelRequest {
  if (takesTools) return request;
  const { messages, toolChoice = 'auto', tools } = request;
  const offered = toolChoice === 'none' || schema !== undefined ? [] : usable(tools, toolChoice);
  const told = toldMessages(messages);
  if (offered.length === 0) return { ...request, messages: told, tools: [] };
  const words = wordsOn(offered, toolChoice !== 'auto');
  const [first, ...others] = told;
  const system: Message[] =
    first?.role === 'system'
      ? [{ ...first, content: `${first.content}\n\n${words}` }, ...others]
      : [{ role: 'system', content: words }, ...told];
  return { ...request, messages: system, tools: [] };
}

function wordsOn(tools: ToolSpec[], isDemanded: boolean): string {
  const lines = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  const names = tools.map(({ name }) => name).join(' or ');
  return [
    'You have tools. To call one, end your reply with its name and its arguments, written like this:',
    callText('NAME', '{"ARGUMENT": "…"}'),
    'What it gives is in the next message. The tools, with the JSON schemas of their arguments:',
    ...lines,
    ...(isDemanded ? [`This time your reply has to be a call of ${names}.`] : []),
  ].join('\n');
}

/** Several open models were trained with calls in this form. */
const callText = (name: string, input: string): string =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${input}}\n</tool_call>`;

function toldMessages(messages: Message[]): Message[] {
  const names = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') return toldResult(message, names.get(message.callId) ?? '');
    if (message.role !== 'assistant') return message;
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    return toldCalls(message);
  });
}

/** Without what only the provider understands, since that may hold the calls as well. */
function toldCalls({ content, toolCalls = [] }: AssistantMessage): Message {
  const calls = toolCalls.map(({ name, arguments: input }) => callText(name, readableArguments(input)));
  return { role: 'assistant', content: [...(content === '' ? [] : [content]), ...calls].join('\n') };
}

/** A result cannot end itself, and go on as if the user spoke. */
function toldResult({ content, images }: ToolMessage, name: string): Message {
  const inside = content.replaceAll(/<(?=\/tool_response)/gi, '<\\');
  const text = `<tool_response name="${name}">\n${inside}\n</tool_response>`;
  return { role: 'user', content: text, ...(images !== undefined && { images }) };
}
