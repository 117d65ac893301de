import {
  type AssistantMessage,
  type Content,
  imagesIn,
  type Message,
  type NewMessage,
  type Text,
  type TextRef,
} from '../protocol/message.ts';
import type { Store } from './store.ts';

/** Replaces references in messages by the texts that they refer to. @throws `Error` if the store lacks one of them */
export async function resolveMessages(store: Store, append: NewMessage[]): Promise<Message[]> {
  const resolved: Message[] = [];
  for (const message of append) {
    resolved.push({ ...message, content: await resolveContent(store, message.content) });
  }
  return resolved;
}

/** Loads the images of messages, in base64 by their blob ids. @throws `Error` if the store lacks one of them */
export async function loadImages(store: Store, messages: Message[]): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const message of messages) {
    for (const { blob } of imagesIn(message)) {
      if (!images.has(blob)) images.set(blob, await store.blob(blob));
    }
  }
  return images;
}

async function resolveContent(store: Store, content: Content): Promise<string> {
  let text = '';
  const parts: Text[] = [content].flat();
  for (const part of parts) {
    text += typeof part === 'string' ? part : await resolveRef(store, part);
  }
  return text;
}

async function resolveRef(store: Store, ref: TextRef): Promise<string> {
  if ('blob' in ref) return store.blob(ref.blob);
  const reply = (await store.segment(ref.segment)).at(-1) as AssistantMessage;
  if (ref.call === undefined) return reply.content;
  const { id, argument } = ref.call;
  const call = reply.toolCalls?.find((each) => each.id === id);
  const input = JSON.parse(call?.arguments ?? '{}') as Record<string, unknown>;
  const text = input[argument];
  if (typeof text !== 'string') throw new Error(`Segment ${ref.segment} has no text ${argument} in its call ${id}`);
  return text;
}
