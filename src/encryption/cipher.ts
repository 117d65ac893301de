import type { Keys } from './keys.ts';

/**
 * Seals what people and models have said before the database gets it, and opens it again. Ids, names, times and sizes are
 * not sealed, since the database finds rows by them.
 */
export interface Cipher {
  /** @param place the table and key of the row, for which alone the sealed text can be opened again */
  encryptText(text: string, place: string): string;
  decryptText(stored: string, place: string): string;
  encryptBytes(bytes: Uint8Array, place: string): Uint8Array;
  decryptBytes(stored: Uint8Array, place: string): Uint8Array;
}

export const plain: Cipher = {
  encryptText: (text) => text,
  decryptText: (stored) => stored,
  encryptBytes: (bytes) => bytes,
  decryptBytes: (stored) => stored,
};

/** What sealed texts begin with. None of those that the store keeps begins like this by itself: they are JSON, or notes. */
const textMark = 'sealed:';

/** What sealed bytes begin with, before the id of their key: eight bytes that no kind of file begins with. */
const bytesMark = Buffer.from('8f52b1d3e9c7a604', 'hex');
const idBytes = 8;

/** Seals with the first key, and reads what is not sealed, since it is from before, as it is; so is all where there are no keys. */
export function cipherOf(keys: Keys): Cipher {
  const opening: Pick<Cipher, 'decryptText' | 'decryptBytes'> = {
    decryptText(stored, place) {
      if (!stored.startsWith(textMark)) return stored;
      const [id = '', sealed = ''] = stored.slice(textMark.length).split(':');
      return Buffer.from(keys.open('store', place, id, Buffer.from(sealed, 'base64'))).toString();
    },
    decryptBytes(stored, place) {
      const start = bytesMark.length + idBytes;
      if (stored.length < start || !bytesMark.equals(stored.subarray(0, bytesMark.length))) return stored;
      const id = Buffer.from(stored.subarray(bytesMark.length, start)).toString('latin1');
      return keys.open('store', place, id, stored.subarray(start));
    },
  };
  if (!keys.on) return { ...plain, ...opening };
  return {
    ...opening,
    encryptText(text, place) {
      const { id, sealed } = keys.seal('store', place, Buffer.from(text));
      return `${textMark}${id}:${Buffer.from(sealed).toString('base64')}`;
    },
    encryptBytes(bytes, place) {
      const { id, sealed } = keys.seal('store', place, bytes);
      return Buffer.concat([bytesMark, Buffer.from(id, 'latin1'), sealed]);
    },
  };
}
