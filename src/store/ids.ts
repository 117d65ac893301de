import { createHash } from 'node:crypto';
import type { Message } from '../protocol/message.ts';

/** SHA-256 in hexadecimal. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The id of a segment: the hash of its parent's id and its messages as they are stored. */
export function segmentId(parent: string | null, messages: Message[]): string {
  return hashOf(`${parent ?? ''}\n${JSON.stringify(messages)}`);
}
