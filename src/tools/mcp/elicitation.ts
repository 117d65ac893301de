import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { Client, ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import type { Form, InputRequest, InputResponse } from '../../protocol/tools/elicitation.ts';

/** A call of a tool of a server of the older generation, which may ask for something while it runs. */
export interface LiveCall {
  /** What the person has answered in earlier calls of the same tool, in order. Each is used once. */
  answered: Array<{ request: InputRequest; response: InputResponse }>;
  asks: boolean;
  /** What was declined since the person could not be asked. */
  declined: string[];
  /** Ends the call, which is to be made again with an answer. */
  interrupt(request: InputRequest): void;
}

/**
 * What servers of the older generation ask for while a call runs (specification 2025-11-25, "Elicitation"). The server
 * waits for the answer over the same connection, which no person's answer may take as long as. So the call is ended, and
 * made again with the answer, which is given when the server asks for the same once more.
 *
 * A request does not say which call it belongs to. Over HTTP it comes in the response to the call; over stdio it is taken
 * for that of the only call that runs, and waits while there are others that may go on without it.
 */
export class Elicitations {
  readonly #here = new AsyncLocalStorage<LiveCall>();
  readonly #calls = new Set<LiveCall>();
  readonly #ended = new WeakSet<LiveCall>();
  #waiting: Array<{ request: InputRequest; resolve: (result: ElicitResult | Promise<never>) => void }> = [];

  serve(client: Client): void {
    client.setRequestHandler('elicitation/create', ({ params }) => this.#take(params));
  }

  async during<T>(call: LiveCall, work: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await this.#here.run(call, work);
    } finally {
      this.#calls.delete(call);
      this.#assign();
    }
  }

  #take(params: ElicitRequestParams): Promise<ElicitResult> {
    const request = requestOf('', params);
    const call = this.#here.getStore();
    const { promise, resolve } = Promise.withResolvers<ElicitResult>();
    if (call === undefined) this.#waiting.push({ request, resolve });
    else resolve(this.#answer(call, request));
    this.#assign();
    return promise;
  }

  /** Gives the waiting requests to calls, as far as it is clear to which. */
  #assign(): void {
    const free = [...this.#calls].filter((call) => !this.#ended.has(call));
    // One that has the answer already is the one that asks again.
    this.#waiting = this.#waiting.filter(({ request, resolve }) => {
      const call = free.find(({ answered }) => answered.some((each) => isSame(each.request, request)));
      if (call !== undefined) resolve(this.#answer(call, request));
      return call === undefined;
    });
    while (this.#waiting.length > 0 && free.length <= this.#waiting.length) {
      const [first, ...others] = this.#waiting;
      const call = free.shift();
      this.#waiting = others;
      first?.resolve(call === undefined ? interrupted() : this.#answer(call, first.request));
    }
  }

  #answer(call: LiveCall, request: InputRequest): ElicitResult | Promise<never> {
    const index = call.answered.findIndex((each) => isSame(each.request, request));
    const [known] = index < 0 ? [] : call.answered.splice(index, 1);
    if (known !== undefined) return known.response;
    if (!call.asks) {
      call.declined.push(request.message);
      return { action: 'decline' };
    }
    this.#ended.add(call);
    call.interrupt(request);
    return interrupted();
  }
}

/** The server's tool fails by this: an answer, such as that the person cancels, would have it go on. */
const interrupted = (): Promise<never> =>
  Promise.reject(
    new ProtocolError(ProtocolErrorCode.InternalError, 'The call was ended; it is made again with the answer'),
  );

const isSame = (one: InputRequest, other: InputRequest): boolean =>
  JSON.stringify([one.message, one.form, one.url]) === JSON.stringify([other.message, other.form, other.url]);

export function requestOf(key: string, params: ElicitRequestParams): InputRequest {
  const { message } = params;
  if (params.mode === 'url') return { key, message, url: params.url };
  const { properties, required } = params.requestedSchema;
  return { key, message, form: { properties: properties as Form['properties'], ...(required && { required }) } };
}
