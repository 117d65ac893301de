import type OpenAI from 'openai';
import type { AssistantMessage, Message, ToolSpec, UserMessage } from '../protocol/message.ts';
import { imageData, type LoadedImages } from './images.ts';

/** Extra fields of tool calls that some OpenAI-compatible providers want back (Gemini's thought signatures), by call id. */
export type ExtraContent = Record<string, unknown>;

export const openaiWire = 'openai';

type Param = OpenAI.ChatCompletionMessageParam;

/** Neutral messages as Chat Completions takes them, one for one: a longer conversation begins with the same bytes. */
export function toOpenaiMessages(messages: Message[], images: LoadedImages = new Map()): Param[] {
  return messages.map((message): Param => {
    if (message.role === 'tool')
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    if (message.role === 'assistant') return toAssistant(message);
    if (message.role === 'user') return { role: 'user', content: toUserContent(message, images) };
    return { role: message.role, content: message.content };
  });
}

function toUserContent(
  { content, images: refs = [] }: UserMessage,
  images: LoadedImages,
): string | OpenAI.ChatCompletionContentPart[] {
  if (refs.length === 0) return content;
  return [
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...refs.map((ref) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${ref.mediaType};base64,${imageData(images, ref)}` },
    })),
  ];
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
