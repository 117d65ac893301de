import type { Keys } from './keys.ts';
import { plain, type Cipher } from './cipher.ts';

/** What sealed texts begin with. None of those that the store keeps begins like this by itself: they are JSON, or notes. */
const textMark = 'sealed:';

/** What sealed bytes begin with, before the id of their key: eight bytes that no kind of file begins with. */
const bytesMark = Buffer.from('8f52b1d3e9c7a604', 'hex');
const idBytes = 8;

/**
 * Seals content with the first key and opens what any of them has sealed. What is not sealed, since it is from before, is read as it is;
 * without keys nothing new is sealed.
 */
export function cipherOf(keys: Keys): Cipher {
  const seal = (bytes: Uint8Array, place: string) => keys.seal('store', place, bytes);
  const open = (id: string, sealed: Uint8Array, place: string) => keys.open('store', place, id, sealed);
  const opening: Pick<Cipher, 'decryptText' | 'decryptBytes'> = {
    decryptText(stored, place) {
      if (!stored.startsWith(textMark)) return stored;
      const [id = '', sealed = ''] = stored.slice(textMark.length).split(':');
      return Buffer.from(open(id, Buffer.from(sealed, 'base64'), place)).toString();
    },
    decryptBytes(stored, place) {
      const start = bytesMark.length + idBytes;
      if (stored.length < start || !bytesMark.equals(stored.subarray(0, bytesMark.length))) return stored;
      return open(
        Buffer.from(stored.subarray(bytesMark.length, start)).toString('latin1'),
        stored.subarray(start),
        place,
      );
    },
  };
  if (!keys.on) return { ...plain, ...opening };
  return {
    ...opening,
    encryptText(text, place) {
      const { id, sealed } = seal(Buffer.from(text), place);
      return `${textMark}${id}:${Buffer.from(sealed).toString('base64')}`;
    },
    encryptBytes(bytes, place) {
      const { id, sealed } = seal(bytes, place);
      return Buffer.concat([bytesMark, Buffer.from(id, 'latin1'), sealed]);
    },
  };
}
