import { callsIn, type Message, type ToolCall } from '../protocol/message.ts';
import { isObject, parsedJson } from '../util/values.ts';

/** As Chat Completions has it. Any of it may be absent or of another type. */
export interface CallPiece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  /** What Gemini wants back with the call, such as its thought signature. */
  extra_content?: unknown;
}

/** More than any model calls in one reply; a stream that begins more of them is out of order. */
export const maxCalls = 500;

interface GrowingCall {
  id: string | undefined;
  name: string;
  arguments: string;
  extra: unknown;
}

/**
 * An index may begin anywhere, repeat, or be absent, and so may ids, so a piece belongs to the call with the same index
 * and id; without an id, to the last call of its index.
 */
export class StreamedCalls {
  readonly #calls: GrowingCall[] = [];
  readonly #open = new Map<string, GrowingCall>();

  get count(): number {
    return this.#calls.length;
  }

  add(piece: CallPiece): string {
    const name = textOf(piece.function?.name);
    const written = piece.function?.arguments;
    // Some servers send the arguments as the object that they stand for.
    const text = typeof written === 'object' && written !== null ? JSON.stringify(written) : textOf(written);
    const call = this.#callOf(piece, name, text);
    if (isSentAgain(call, piece, text)) return '';
    // The name comes whole, in pieces, or with every piece again.
    if (call.arguments === '' && name !== call.name) call.name = name.startsWith(call.name) ? name : call.name + name;
    call.arguments += text;
    call.extra = piece.extra_content ?? call.extra;
    return text;
  }

  get isCut(): boolean {
    return this.#calls.some(({ arguments: text }) => /^\s*\{/.test(text) && !text.trimEnd().endsWith('}'));
  }

  /** With ids that no other call of the conversation has; and what providers want back, by these. */
  finish(conversation: Message[]): { calls: ToolCall[]; extra: Record<string, unknown> } {
    const taken = new Set(conversation.flatMap(callsIn).map(({ id }) => id));
    const extra: Record<string, unknown> = {};
    const calls = this.#calls.map((call, index) => {
      const given = call.id ?? `call_${conversation.length}_${index}`;
      let id = given;
      for (let copy = 2; taken.has(id); copy++) id = `${given}_${copy}`;
      taken.add(id);
      if (call.extra !== undefined) extra[id] = call.extra;
      return { id, name: call.name, arguments: call.arguments };
    });
    return { calls, extra };
  }

  #callOf(piece: CallPiece, name: string, text: string): GrowingCall {
    const id = textOf(piece.id) || undefined;
    const index = String(piece.index);
    const whole = `${index} ${id}`;
    const known = this.#open.get(whole) ?? this.#open.get(index);
    const goesOn =
      known !== undefined &&
      (id === undefined || known.id === undefined || known.id === id || name === '') &&
      // A call that is complete is followed by the next, even if that has the same index and id.
      (name === '' || text.trim() === '' || !isComplete(known) || isSentAgain(known, piece, text));
    const call = goesOn ? known : this.#begin();
    call.id ??= id;
    this.#open.set(index, call);
    if (id !== undefined) this.#open.set(whole, call);
    return call;
  }

  #begin(): GrowingCall {
    const call = { id: undefined, name: '', arguments: '', extra: undefined };
    this.#calls.push(call);
    return call;
  }
}

/** Looks first whether it may be, since some servers name the call with every piece. */
const isComplete = ({ arguments: text }: GrowingCall): boolean =>
  text.trimEnd().endsWith('}') && isObject(parsedJson(text));

/** Some gateways end with each call as a whole, after they have streamed it. */
const isSentAgain = (call: GrowingCall, { id }: CallPiece, text: string): boolean =>
  call.id !== undefined && call.id === id && call.arguments === text && isComplete(call);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
