import {
  type AssistantMessage,
  type BlobRef,
  type Content,
  imagesIn,
  type Message,
  type NewMessage,
  type StoredMessage,
  type Text,
  type TextRef,
} from '../protocol/message.ts';
import type { Store } from './store.ts';

type Texts = Pick<Store, 'blob' | 'segment'>;

/**
 * Messages as segments hold them: blobs stay named, so that a text which many conversations have, such as all answers of a
 * round, is in the store once. All else is in its place. @throws `Error` if the store lacks it
 */
export async function storedMessages(store: Texts, append: NewMessage[]): Promise<StoredMessage[]> {
  const stored: StoredMessage[] = [];
  for (const message of append) {
    const parts: Array<string | BlobRef> = [];
    for (const part of [message.content].flat()) {
      const isBlob = typeof part !== 'string' && 'blob' in part;
      const each = isBlob ? { blob: part.blob } : await resolveContent(store, part);
      const last = parts.at(-1);
      if (typeof each === 'string' && typeof last === 'string') parts[parts.length - 1] = last + each;
      else parts.push(each);
    }
    const [first = ''] = parts;
    stored.push({ ...message, content: parts.length > 1 || typeof first !== 'string' ? parts : first });
  }
  return stored;
}

/** Replaces references in messages by the texts that they refer to. @throws `Error` if the store lacks one of them */
export async function resolveMessages(store: Texts, append: NewMessage[]): Promise<Message[]> {
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

export async function resolveContent(store: Texts, content: Content): Promise<string> {
  let text = '';
  const parts: Text[] = [content].flat();
  for (const part of parts) {
    text += typeof part === 'string' ? part : await resolveRef(store, part);
  }
  return text;
}

async function resolveRef(store: Texts, ref: TextRef): Promise<string> {
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

/** How many blobs a worker keeps as they were read: runs use few, such as lists of tools, and each many times. */
const mostKept = 100;

/** Reads blobs in some way, each once as long as it is among those that came last. */
export function readBlobs<Read>(store: Store, read: (text: string) => Read): (id: string) => Promise<Read> {
  const kept = new Map<string, Read>();
  return async (id) => {
    const known = kept.get(id) ?? read(await store.blob(id));
    const [oldest] = kept.keys();
    if (kept.size >= mostKept && oldest !== undefined && !kept.has(id)) kept.delete(oldest);
    kept.set(id, known);
    return known;
  };
}
