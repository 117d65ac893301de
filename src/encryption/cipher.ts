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

/** Leaves everything as it is. */
export const plain: Cipher = {
  encryptText: (text) => text,
  decryptText: (stored) => stored,
  encryptBytes: (bytes) => bytes,
  decryptBytes: (stored) => stored,
};
