import type { Content, TextRef } from '../../protocol/message.ts';
import type { CallModelResult } from '../../protocol/model-call.ts';
import type { CallToolResult } from '../../protocol/tools/tool.ts';
import type { HistoryRecord } from './history.ts';

/** Reads a blob of the store by its id; undefined if the store has none of this id. */
export type ReadBlob = (id: string) => string | undefined;

/** The end of a result of which the history has the beginning only. */
const cutNote = /\n… \[the beginning; \d+ characters in all\]$/;

/**
 * The texts that a history refers to. Replies are in the history itself, and so are results of tools, of the long ones the
 * beginning; the rest is in the store of the worker's home, if it is at hand.
 */
export class Texts {
  readonly #readBlob: ReadBlob;
  readonly #blobs = new Map<string, string>();
  readonly #replies = new Map<string, CallModelResult['reply']>();
  /** How many texts are shown in part, or not at all. */
  missing = 0;

  constructor(records: HistoryRecord[], readBlob: ReadBlob) {
    this.#readBlob = readBlob;
    for (const record of records) {
      if (record.kind !== 'activity' || typeof record.result !== 'object' || record.result === null) continue;
      if (record.type === 'callTool') {
        const { blob, text } = record.result as CallToolResult;
        if (blob !== undefined) this.#blobs.set(blob, text);
      } else if (record.type === 'callModel') {
        const { reply, transcript } = record.result as CallModelResult;
        this.#replies.set(transcript.id, reply);
      }
    }
  }

  /** A text with its references replaced; what cannot be read is named in brackets. */
  textOf(content: Content): string {
    return [content]
      .flat()
      .map((part) => (typeof part === 'string' ? part : this.#read(part)))
      .join('');
  }

  /** A blob as a text; undefined if neither the history nor the store has it. */
  blob(id: string): string | undefined {
    const known = this.#blobs.get(id);
    if (known !== undefined && !cutNote.test(known)) return known;
    const stored = this.#readBlob(id);
    if (stored === undefined) this.missing += 1;
    return stored ?? known;
  }

  #read(ref: TextRef): string {
    if ('blob' in ref) return this.blob(ref.blob) ?? inPart(ref, `the rest is in the store: ${ref.blob.slice(0, 12)}…`);
    const reply = this.#replies.get(ref.segment);
    const lost = inPart(ref, 'it is in a reply of an earlier run');
    if (ref.call === undefined) return reply?.content ?? lost;
    const { argument, id } = ref.call;
    const call = reply?.calls.find((each) => each.id === id);
    const text = call !== undefined && 'input' in call ? call.input[argument] : undefined;
    return typeof text === 'string' ? text : lost;
  }
}

/** What a reference itself says of its text, which may be its beginning. */
const inPart = ({ preview = '' }: TextRef & { preview?: string }, rest: string): string =>
  preview === '' ? `[a text: ${rest}]` : `${preview}\n[${rest}]`;
