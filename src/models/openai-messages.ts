import type OpenAI from 'openai';
import type { AssistantMessage, Message, ToolSpec } from '../messages/message.ts';

/** Extra fields of tool calls that some OpenAI-compatible providers want back (Gemini's thought signatures), by call id. */
export type ExtraContent = Record<string, unknown>;

export const openaiWire = 'openai';

type Param = OpenAI.ChatCompletionMessageParam;

/** Neutral messages as Chat Completions takes them, one for one: a longer conversation begins with the same bytes. */
export function toOpenaiMessages(messages: Message[]): Param[] {
  return messages.map((message): Param => {
    if (message.role === 'tool')
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    if (message.role === 'assistant') return toAssistant(message);
    return { role: message.role, content: message.content };
  });
}

function toAssistant({ content, toolCalls, opaque }: AssistantMessage): Param {
  if (toolCalls === undefined || toolCalls.length === 0) return { role: 'assistant', content };
  const extra = opaque?.wire === openaiWire ? (opaque.data as ExtraContent) : {};
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
      ...(extra[id] !== undefined && { extra_content: extra[id] }),
    })),
  };
}

export function toOpenaiTools(tools: ToolSpec[]): OpenAI.ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}
