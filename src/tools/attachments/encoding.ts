import { otherEncoding } from './other-encodings.ts';

/** A text, and what is to be said of how it was decoded. */
interface Decoded {
  text: string;
  /** Absent for UTF-8 without damage. */
  note?: string;
}

/** Characters that no text has: controls besides white space, and code points without a meaning. */
const noText = /[^\P{Cc}\s]|[\p{Cn}\p{Co}]/u;

/** Whether a text has such characters besides those that colour a log. */
const isNoText = (text: string): boolean => noText.test(text.replaceAll('\u001B', ''));

/**
 * Bytes as a text: UTF-8, UTF-16, what it says itself, what its letters tell, or Windows-1252, which
 * Latin-1 is a part of. Undefined if they are none.
 */
export function decodeText(bytes: Buffer): Decoded | undefined {
  const text = decoded('utf-8', bytes);
  if (text !== undefined && !text.includes('\0')) return { text };
  return (
    withoutNuls(text ?? '') ??
    asUtf16(bytes) ??
    asDeclared(bytes) ??
    asDamagedUtf8(bytes) ??
    asOther(bytes) ??
    asWestern(bytes)
  );
}

/** UTF-8 with a few NULs in it, as in a log whose computer went down. Data and UTF-16 have more of them. */
function withoutNuls(given: string): Decoded | undefined {
  const places = given.match(/\0+/g) ?? [];
  const text = given.replaceAll('\0', '');
  if (places.length * 20 > text.length || !/\s/.test(text) || isNoText(text)) return undefined;
  return { text, note: `NULs at ${places.length} places in it are left out` };
}

/** UTF-16 by its mark, or else by its first NUL: of Latin letters, digits and white space half of the bytes are NULs. */
function asUtf16(bytes: Buffer): Decoded | undefined {
  const mark = { fffe: 'UTF-16LE', feff: 'UTF-16BE' }[bytes.toString('hex', 0, 2)];
  const zero = bytes.indexOf(0);
  if (mark === undefined && zero === -1) return undefined;
  const name = mark ?? (zero % 2 === 1 ? 'UTF-16LE' : 'UTF-16BE');
  const text = decoded(name.toLowerCase(), bytes);
  if (text === undefined || isNoText(text)) return undefined;
  // Few bytes without a mark may be anything.
  if (mark === undefined && !/\s/.test(text)) return undefined;
  return { text, note: `it was read as ${name}` };
}

/** What XML and pages say of themselves. */
const declared = /^\s*<\?xml[^>]*\bencoding=["']([\w-]+)|<meta[^>]*\bcharset=["']?([\w-]+)/i;

function asDeclared(bytes: Buffer): Decoded | undefined {
  const [, xml, page] = declared.exec(bytes.toString('latin1', 0, 1024)) ?? [];
  const name = xml ?? page ?? 'utf-8';
  const text = /^utf-?8$/i.test(name) ? undefined : decoded(name, bytes);
  return text === undefined || isNoText(text) ? undefined : { text, note: `it was read as ${name}, as it says` };
}

/** UTF-8 in which a few bytes are wrong, as in a log that was cut. */
function asDamagedUtf8(bytes: Buffer): Decoded | undefined {
  const text = bytes.toString('utf8');
  const wrong = text.match(/\uFFFD/g)?.length ?? 0;
  const right = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  if (wrong >= right || isNoText(text)) return undefined;
  return { text, note: `${wrong} places in it are not UTF-8, and are shown as \uFFFD` };
}

function asOther(bytes: Buffer): Decoded | undefined {
  const name = otherEncoding(bytes);
  const text = name === undefined ? undefined : decoded(name, bytes);
  if (text === undefined || isNoText(text)) return undefined;
  return { text, note: `it was read as ${name}, which its bytes look like` };
}

/** Four accented letters in a row stand for a word of another alphabet, and so do more of them than other characters. */
function asWestern(bytes: Buffer): Decoded | undefined {
  const text = new TextDecoder('windows-1252').decode(bytes);
  const accented = text.match(/\P{ASCII}/gu)?.length ?? 0;
  if (isNoText(text) || /[À-ÿ]{4}/.test(text) || accented * 2 > text.length) return undefined;
  return { text, note: 'it was read as Windows-1252, since it is not UTF-8' };
}

function decoded(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
