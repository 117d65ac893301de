import type { Problem } from './rules/openai.ts';
import type { Body, Scripted, Seen, SeenMessage } from './scripted.ts';

// A model of Ollama's whose template has no tools: its server refuses them, and it reads of them in its system message.

/** By the model's name. */
export const takesNoTools = (model: string): boolean => model.startsWith('smollm2');

/** As Ollama says it, which is to be learned (ollama/ollama#6027). */
export const refusal = (model: string): Problem => ({
  message: `registry.ollama.ai/library/${model}:latest does not support tools`,
});

/** What its template leaves out without a word: no request may have it. */
export function lostProblem({ model }: Body, messages: SeenMessage[]): Problem | undefined {
  const isLost = ({ calls, role }: SeenMessage): boolean => role === 'tool' || calls.length > 0;
  return takesNoTools(model) && messages.some(isLost) ? { message: 'calls and results are lost' } : undefined;
}

/** A request as such a model understands it. */
export function asRead(seen: Seen): Seen {
  const [system] = seen.messages;
  const lines = (system?.text ?? '').split('\n').filter((line) => line.startsWith('{"name":'));
  const tools = lines.map((line) => (JSON.parse(line) as { name: string }).name).filter((name) => name !== 'NAME');
  const toolChoice = tools.length === 0 ? 'none' : 'auto';
  return { ...seen, tools, definedTools: tools, toolChoice, messages: seen.messages.map(readMessage) };
}

function readMessage(message: SeenMessage): SeenMessage {
  const { role, text } = message;
  const [, result] = /^<tool_response name="[\w-]+">\n([^]*)\n<\/tool_response>$/.exec(text) ?? [];
  if (role === 'user' && result !== undefined) return { role: 'tool', text: result, calls: [] };
  if (role !== 'assistant') return message;
  const calls = [...text.matchAll(written)].map(([, json = '']) => (JSON.parse(json) as { name: string }).name);
  return { role, text: text.replaceAll(written, '').trim(), calls };
}

const written = /<tool_call>\n([^]*?)\n<\/tool_call>/g;

/** Its reply, in which a call is words. */
export function asWritten({ calls = [], text = '', ...rest }: Scripted): Scripted {
  const words = calls.map(({ name, arguments: input }) =>
    ['<tool_call>', JSON.stringify({ name, arguments: input }), '</tool_call>'].join('\n'),
  );
  return { ...rest, text: [...(text === '' ? [] : [text]), ...words].join('\n') };
}
