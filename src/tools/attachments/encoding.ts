import type { Readable } from './readable.ts';

/** It has a note unless it is UTF-8 without damage. */
interface Decoded extends Readable {
  text: string;
}

/** Characters that no text has: controls besides white space, and code points without a meaning. */
const noText = /[^\P{Cc}\s]|[\p{Cn}\p{Co}]/u;

/** What was decoded, if it has no such characters besides those that colour a log. */
const ifText = (text: string | undefined, note: string): Decoded | undefined =>
  text === undefined || noText.test(text.replaceAll('\u001B', '')) ? undefined : { text, note };

/** Bytes as a text: UTF-8, UTF-16, what it says itself, what its letters tell, or Windows-1252; undefined if they are none. */
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

/** As in a log whose computer went down. Data and UTF-16 have more NULs. */
function withoutNuls(given: string): Decoded | undefined {
  const places = given.match(/\0+/g) ?? [];
  const text = given.replaceAll('\0', '');
  if (places.length * 20 > text.length || !/\s/.test(text)) return undefined;
  return ifText(text, `NULs at ${places.length} places in it are left out`);
}

/** UTF-16 by its mark, or else by its first NUL: of Latin letters, digits and white space half of the bytes are NULs. */
function asUtf16(bytes: Buffer): Decoded | undefined {
  const mark = { fffe: 'UTF-16LE', feff: 'UTF-16BE' }[bytes.toString('hex', 0, 2)];
  const zero = bytes.indexOf(0);
  if (mark === undefined && zero === -1) return undefined;
  const name = mark ?? (zero % 2 === 1 ? 'UTF-16LE' : 'UTF-16BE');
  const text = decoded(name.toLowerCase(), bytes);
  // Few bytes without a mark may be anything.
  return mark === undefined && !/\s/.test(text ?? '') ? undefined : ifText(text, `it was read as ${name}`);
}

const declared = /^\s*<\?xml[^>]*\bencoding=["']([\w-]+)|<meta[^>]*\bcharset=["']?([\w-]+)/i;

function asDeclared(bytes: Buffer): Decoded | undefined {
  const [, xml, page] = declared.exec(bytes.toString('latin1', 0, 1024)) ?? [];
  const name = xml ?? page ?? 'utf-8';
  return /^utf-?8$/i.test(name) ? undefined : ifText(decoded(name, bytes), `it was read as ${name}, as it says`);
}

function asDamagedUtf8(bytes: Buffer): Decoded | undefined {
  const text = bytes.toString('utf8');
  const wrong = text.match(/\uFFFD/g)?.length ?? 0;
  const right = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  return wrong >= right ? undefined : ifText(text, `${wrong} places in it are not UTF-8, and are shown as \uFFFD`);
}

function asOther(bytes: Buffer): Decoded | undefined {
  const latin = bytes.toString('latin1', 0, 100_000);
  const found = encodings.find(({ least, telling, usual }) => {
    const known = latin.match(usual) ?? [];
    const others = latin.replaceAll(usual, '').match(/[\x80-\xff]/g)?.length ?? 0;
    const told = latin.match(telling)?.length ?? 0;
    return known.length >= 4 && others * 20 <= known.length && told > 0 && told >= known.length * least;
  });
  return found && ifText(decoded(found.name, bytes), `it was read as ${found.name}, which its bytes look like`);
}

/** Four accented letters in a row stand for a word of another alphabet, and so do more of them than other characters. */
function asWestern(bytes: Buffer): Decoded | undefined {
  const text = new TextDecoder('windows-1252').decode(bytes);
  const accented = text.match(/\P{ASCII}/gu)?.length ?? 0;
  if (/[À-ÿ]{4}/.test(text) || accented * 2 > text.length) return undefined;
  return ifText(text, 'it was read as Windows-1252, since it is not UTF-8');
}

function decoded(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Encodings that offices still write, by their bytes as Latin-1: the usual letters and signs, which nearly all bytes above ASCII
 * must be, what tells it from the others, and which part of the usual that makes up at least. The first that fits is taken.
 */
const encodings = [
  {
    name: 'Shift_JIS',
    usual: /[\x81-\x84\x88-\x9f\xe0-\xea][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]/g,
    // Hiragana and katakana.
    telling: /\x82[\x9f-\xf1]|\x83[\x40-\x96]/g,
    least: 0.05,
  },
  {
    name: 'EUC-JP',
    usual: /[\xa1-\xa5\xb0-\xf4][\xa1-\xfe]/g,
    telling: /\xa4[\xa1-\xf3]|\xa5[\xa1-\xf6]/g,
    least: 0.05,
  },
  // Syllables of Korean.
  { name: 'EUC-KR', usual: /[\xa1-\xac\xb0-\xc8][\xa1-\xfe]/g, telling: /[\xb0-\xc8][\xa1-\xfe]/g, least: 0.5 },
  // The more common half of the signs of simplified Chinese.
  { name: 'GB18030', usual: /[\xa1-\xa9\xb0-\xd7][\xa1-\xfe]/g, telling: /[\xb0-\xd7][\xa1-\xfe]/g, least: 0.5 },
  {
    name: 'Windows-1250',
    usual: /[\x8c\x8f\x9c\x9f\xa3\xa5\xaf\xb3\xb9\xbf\xc6\xca\xd1\xd3\xe6\xea\xf1\xf3]/g,
    // Polish letters that are signs elsewhere, which stand in no word.
    telling: /(?<=[A-Za-z])[\xa3\xa5\xaf\xb3\xb9\xbf](?=[A-Za-z])|\x8f/g,
    least: 0.02,
  },
  {
    name: 'Windows-1250',
    usual: /[\xc1\xc9\xcd\xd3\xd5\xd6\xda\xdb\xdc\xe1\xe9\xed\xf3\xf5\xf6\xfa\xfb\xfc]/g,
    // Hungarian ő and ű; other languages with õ or û have letters besides that it has not.
    telling: /[\xf5\xfb]/g,
    least: 0.05,
  },
  {
    name: 'Windows-1254',
    usual: /[\xc7\xd0\xd6\xdc\xdd\xde\xe2\xe7\xf0\xf6\xfc\xfd\xfe]/g,
    // Turkish ı, ğ, ş and İ; Icelandic, which has such signs there, has more accents.
    telling: /[\xdd\xf0\xfd\xfe]/g,
    least: 0.2,
  },
  {
    name: 'Windows-1251',
    usual: /[\xa8\xb8\xb2\xb3\xaa\xba\xaf\xbf\xb9\xab\xbb\xa0\x84\x93-\x97\xc0-\xff]/g,
    // The six most common letters of Russian, within a word.
    telling: /(?<=[\xc0-\xff]{2})[\xe0\xe5\xe8\xed\xee\xf2]/g,
    least: 0.2,
  },
  {
    name: 'Windows-1253',
    usual: /[\xa0\xa2\xab\xb7-\xbf\xc1-\xfe]/g,
    // The five most common letters of Greek, within a word.
    telling: /(?<=[\xb8-\xfe]{2})[\xe1\xe5\xe9\xef\xf4]/g,
    least: 0.2,
  },
];
