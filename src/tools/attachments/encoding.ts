/** A text, and what is to be said of how it was decoded. */
export interface Decoded {
  text: string;
  /** Absent for UTF-8 without damage. */
  note?: string;
}

/** How much of a text is looked at to see whether it is one, in characters. */
const looked = 100_000;

/** Characters that no text has: most controls, and code points without a meaning. */
const noText = /[\0-\x08\x0E-\x1A\x1C-\x1F\p{Cn}\p{Co}]/u;

const isText = (text: string): boolean => !noText.test(text.slice(0, looked));

/** Bytes as a text: UTF-8, UTF-16 or Windows-1252, which Latin-1 is a part of. Undefined if they are none. */
export const decodeText = (bytes: Buffer): Decoded | undefined =>
  asUtf8(bytes) ?? asUtf16(bytes) ?? asDamagedUtf8(bytes) ?? asWestern(bytes);

function asUtf8(bytes: Buffer): Decoded | undefined {
  const text = decoded('utf-8', bytes, true);
  return text === undefined || text.includes('\0') ? undefined : { text };
}

/** How many bytes tell in which half of each pair the NULs are. */
const sampled = 10_000;

/** UTF-16 by its mark, or else by its NULs: Latin letters, digits and line ends have one in the same half of each pair. */
function asUtf16(bytes: Buffer): Decoded | undefined {
  const mark = bytes.toString('hex', 0, 2);
  const [even, odd] = zerosIn(bytes.subarray(0, sampled));
  const isLittle = mark === 'fffe' || (mark !== 'feff' && odd > even * 10);
  if (!isLittle && mark !== 'feff' && even <= odd * 10) return undefined;
  const name = isLittle ? 'UTF-16LE' : 'UTF-16BE';
  const text = decoded(name.toLowerCase(), bytes, true);
  return text === undefined || !isText(text) ? undefined : { text, note: `it was read as ${name}` };
}

/** How many of the bytes at even and at odd places are NULs. */
function zerosIn(bytes: Buffer): [even: number, odd: number] {
  const places = Array.from(bytes.entries(), ([at, byte]) => (byte === 0 ? at % 2 : undefined));
  return [places.filter((place) => place === 0).length, places.filter((place) => place === 1).length];
}

/** UTF-8 in which a few bytes are wrong, as in a log that was cut. */
function asDamagedUtf8(bytes: Buffer): Decoded | undefined {
  const text = decoded('utf-8', bytes, false) ?? '';
  const wrong = text.match(/\uFFFD/g)?.length ?? 0;
  const right = text.match(/[^\0-\x7F\uFFFD]/gu)?.length ?? 0;
  if (wrong >= right || !isText(text)) return undefined;
  return { text, note: `${wrong} places in it are not UTF-8, and are shown as \uFFFD` };
}

/**
 * What no text in Windows-1252 has: controls, the bytes without a meaning there, and four accented letters in a row, which
 * stand for words of another alphabet.
 */
const notWestern = /[\0-\x08\x0E-\x1A\x1C-\x1F\x7F\x81\x8D\x8F\x90\x9D]|[\xC0-\xFF]{4}/;

/** The greatest share of accented letters and signs in it. */
const mostAccented = 1 / 2;

function asWestern(bytes: Buffer): Decoded | undefined {
  const plain = bytes.toString('latin1');
  const accented = plain.match(/[\x80-\xFF]/g)?.length ?? 0;
  if (notWestern.test(plain) || accented > plain.length * mostAccented) return undefined;
  return {
    text: decoded('windows-1252', bytes, true) ?? plain,
    note: 'it was read as Windows-1252, since it is not UTF-8',
  };
}

function decoded(encoding: string, bytes: Buffer, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}
