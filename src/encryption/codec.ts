import { fileURLToPath } from 'node:url';
import {
  type DataConverter,
  defaultPayloadConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Keys, TamperedError, UnknownKeyError } from './keys.ts';

const { Payload: Message } = proto.temporal.api.common.v1;

/** What a payload's metadata says of its encryption, as in Temporal's samples. */
const encoding = 'binary/encrypted';
const cipher = 'AES-256-GCM';

const text = new TextDecoder();
const bytes = (word: string): Uint8Array => new TextEncoder().encode(word);

/**
 * Encrypts each payload with the first key, its metadata included, and decrypts it with whichever key its own metadata
 * name. One that is not encrypted, such as one that the Temporal CLI has sent, stays as it is; so does each new one
 * where there is no key.
 */
export function payloadCodec(keys: Keys): PayloadCodec {
  return {
    encode: async (payloads) => (keys.on ? payloads.map((payload) => sealed(payload, keys)) : payloads),
    decode: async (payloads) => payloads.map((payload) => opened(payload, keys)),
  };
}

/** Path of the module by which failures, too, are encrypted. It may be bundled with workflows. */
export const failureConverterPath = fileURLToPath(
  new URL(`../workflows/encoded-failures.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
);

/** How clients and workers write and read payloads and failures. Without keys they read what is not encrypted. */
export const dataConverterOf = (keys: Keys): DataConverter => ({
  payloadCodecs: [payloadCodec(keys)],
  ...(keys.on && { failureConverterPath }),
});

function sealed(payload: Payload, keys: Keys): Payload {
  const { id, sealed: data } = keys.seal('payload', '', Message.encode(payload).finish());
  const metadata = { encoding, 'encryption-cipher': cipher, 'encryption-key-id': id };
  return { metadata: Object.fromEntries(Object.entries(metadata).map(([name, word]) => [name, bytes(word)])), data };
}

/** @throws `UnknownKeyError`, `TamperedError` */
function opened(payload: Payload, keys: Keys): Payload {
  const id = payload.metadata?.['encryption-key-id'];
  const isOurs =
    id &&
    payload.metadata?.['encryption-cipher'] &&
    text.decode(payload.metadata['encoding'] ?? new Uint8Array()) === encoding;
  if (!isOurs) return payload;
  return Message.decode(keys.open('payload', '', text.decode(id), payload.data ?? new Uint8Array()));
}

/** The same codec for those who show payloads: one that it cannot decrypt says why, and the others are shown all the same. */
export const tolerant = (codec: PayloadCodec): PayloadCodec => ({
  encode: (payloads) => codec.encode(payloads),
  async decode(payloads) {
    const decoded = payloads.map((payload) =>
      codec.decode([payload]).catch((error: unknown) => {
        if (!(error instanceof UnknownKeyError || error instanceof TamperedError)) throw error;
        return [defaultPayloadConverter.toPayload(error.message)];
      }),
    );
    return (await Promise.all(decoded)).flat();
  },
});

type Fields = Record<string, unknown>;

/**
 * Decodes all payloads and failures in a message of the server, such as a history, in place: Temporal's client does so with
 * results alone. Search attributes are never encoded. @throws what the codec throws
 */
export async function decodeAll<T>(message: T, { payloadCodecs, payloadConverter }: LoadedDataConverter): Promise<T> {
  const places: Array<[holder: Fields, key: string]> = [];
  const failures: Fields[] = [];
  visit(message, places, failures);
  let payloads = places.map(([holder, key]) => holder[key] as Payload);
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  places.forEach(([holder, key], index) => (holder[key] = payloads[index]));
  for (const failure of failures) {
    const said = payloadConverter.fromPayload<Fields>(failure['encodedAttributes'] as Payload);
    Object.assign(failure, { message: said['message'], stackTrace: said['stack_trace'], encodedAttributes: undefined });
  }
  return message;
}

function visit(value: unknown, places: Array<[holder: Fields, key: string]>, failures: Fields[]): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const holder = value as Fields;
  for (const [key, each] of Object.entries(holder)) {
    if (isPayload(each)) places.push([holder, key]);
    else visit(each, places, failures);
  }
  if (isPayload(holder['encodedAttributes'])) failures.push(holder);
}

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && ArrayBuffer.isView((value as Payload).metadata?.['encoding']);
