import { createHash, timingSafeEqual } from 'node:crypto';
import type { StoredMessage } from '../protocol/message.ts';

/** SHA-256 in hexadecimal. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Whether two secret texts are the same, found out in a time that tells nothing of them. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));

/** From how many characters or bytes on a hash is made beside the process, which takes 10 ms for a million. */
const large = 1_000_000;

/** The same without holding up the process, however large the content is. */
export async function largeHashOf(content: string | Uint8Array): Promise<string> {
  if (content.length < large) return hashOf(content);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/** The id of a segment: the hash of its parent's id and its messages as they are stored. */
export function segmentId(parent: string | null, messages: StoredMessage[]): string {
  return hashOf(`${parent ?? ''}\n${JSON.stringify(messages)}`);
}
