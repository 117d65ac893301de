import type { Body, Seen, SeenMessage, Wire } from './scripted.ts';

/** A part of any wire's request. */
type Part = Record<string, unknown>;

/** What a request says, whichever wire it came over. */
export function readBody(
  wire: Wire,
  body: Body,
): Pick<Seen, 'model' | 'messages' | 'prompt' | 'tools' | 'definedTools' | 'toolChoice' | 'temperature'> {
  const messages = {
    openai: () => partsOf(body['messages']).map(fromChat),
    responses: () => partsOf(body['input']).flatMap(fromResponses),
    anthropic: () => [
      ...partsOf(body['system']).map(({ text }): SeenMessage => ({ role: 'system', text: String(text), calls: [] })),
      ...partsOf(body['messages']).flatMap(fromAnthropic),
    ],
  }[wire]();
  const definedTools = partsOf(body['tools']).map((tool) => String(tool['name'] ?? (tool['function'] as Part)['name']));
  return {
    model: body.model,
    messages,
    prompt: messages.map(({ text }) => text).join('\n'),
    tools: definedTools.filter((name) => mayCall(body['tool_choice'], name)),
    definedTools,
    toolChoice: toolChoiceOf(body['tool_choice'], definedTools),
    temperature: body['temperature'] as number | undefined,
  };
}

/** Results of tool calls that a request shows to its model, in order. */
export const toolResults = ({ messages }: Seen): string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ text }) => text);

const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? (value as Part[]) : []);

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = partsOf(content).map(({ text, refusal, content: inner }) => textOf(text ?? refusal ?? inner));
  return texts.join('');
}

const roleOf = (role: unknown): SeenMessage['role'] => (role === 'developer' ? 'system' : role) as SeenMessage['role'];

const fromChat = ({ role, content, tool_calls: calls }: Part): SeenMessage => ({
  role: roleOf(role),
  text: textOf(content),
  calls: partsOf(calls).map((call) => String((call['function'] as Part)['name'])),
});

function fromResponses({ type = 'message', role, content, name, output }: Part): SeenMessage[] {
  if (type === 'function_call') return [{ role: 'assistant', text: '', calls: [String(name)] }];
  if (type === 'function_call_output') return [{ role: 'tool', text: textOf(output), calls: [] }];
  return type === 'message' ? [{ role: roleOf(role), text: textOf(content), calls: [] }] : [];
}

function fromAnthropic({ role, content }: Part): SeenMessage[] {
  if (typeof content === 'string') return [{ role: roleOf(role), text: content, calls: [] }];
  const blocks = partsOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const others = blocks.filter(({ type }) => type !== 'tool_result');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => String(name));
  return [
    ...results.map((block): SeenMessage => ({ role: 'tool', text: textOf(block['content']), calls: [] })),
    ...(others.length > 0 ? [{ role: roleOf(role), text: textOf(others), calls }] : []),
  ];
}

function toolChoiceOf(choice: unknown, tools: string[]): Seen['toolChoice'] {
  const said = typeof choice === 'object' && choice !== null ? (choice as Part)['type'] : choice;
  // Whoever offers no tools lets none be called.
  if (said === undefined) return tools.length === 0 ? 'none' : undefined;
  return said === 'auto' || said === 'none' ? said : 'required';
}

function mayCall(choice: unknown, name: string): boolean {
  if (typeof choice !== 'object' || choice === null) return choice !== 'none';
  const { type, name: forced, function: inner } = choice as Part;
  const only = forced ?? (inner as Part | undefined)?.['name'] ?? name;
  return type !== 'none' && only === name;
}

/** All of a run's history as text, with what is in its payloads. @param history as `fetchHistory` returns it */
export const historyText = (history: object): string =>
  // Payloads are in base64 in what their own `toJSON` makes of them.
  JSON.stringify(history).replaceAll(/"data":"([\w+/=]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
