import { fileURLToPath } from 'node:url';
import { defaultPayloadConverter, type DataConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { TamperedError, UnknownKeyError, type Keys } from './keys.ts';

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
