import { createRequire } from 'node:module';

/** It has a note unless it is UTF-8 without damage. */
interface Decoded {
  text: string;
  note?: string;
}

/** Characters that no text has: controls besides white space, and code points without a meaning. */
const noText = /[^\P{Cc}\s]|[\p{Cn}\p{Co}]/u;

/** What was decoded, if it has no such characters besides those that colour a log. */
const ifText = (text: string | undefined, note: string): Decoded | undefined =>
  text === undefined || noText.test(text.replaceAll('\u001B', '')) ? undefined : { text, note };

/** Bytes as a text: UTF-8, UTF-16, what it says itself, or what its letters tell; undefined if they are none. */
export function decodeText(bytes: Buffer): Decoded | undefined {
  const text = decoded('utf-8', bytes);
  if (text !== undefined && !text.includes('\0')) return { text };
  return withoutNuls(text ?? '') ?? asUtf16(bytes) ?? asDeclared(bytes) ?? asDamagedUtf8(bytes) ?? asDetected(bytes);
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

const declared = /^\s*<\?xml[^>]*\bencoding=["']([\w-]+)|<meta[^>]*\bcharset\s*=\s*["']?([\w-]+)/i;

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

/**
 * By what a library takes it for. Of a text in capitals it knows nothing, so that Russian ones in Windows-1251 would be small
 * letters of KOI8-R: in encodings of Windows small letters stand 32 behind the capitals, and the better guess of both counts.
 */
function asDetected(bytes: Buffer): Decoded | undefined {
  // Few texts need it, and it takes 100 ms to load.
  const { detectAll } = createRequire(import.meta.url)('jschardet') as typeof import('jschardet');
  const sample = tellingPart(bytes);
  if (sample.length === 0) return undefined;
  const isCapital = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0xc0 && byte <= 0xde);
  const small = sample.map((byte) => (isCapital(byte) ? byte + 32 : byte));
  const how = { detectEncodings, minimumThreshold: 0 };
  const guesses = [...detectAll(sample, how), ...detectAll(small, how)].flatMap(({ confidence, encoding }) => {
    const name = commonNames.get(encoding ?? '') ?? encoding;
    return name === null ? [] : [{ name, weight: confidence * (prior.get(name) ?? 1) }];
  });
  const names = guesses.toSorted((one, other) => other.weight - one.weight).map(({ name }) => name);
  const found = names.find((name) => !isMixed(decoded(name, sample) ?? ''));
  if (found === undefined) return undefined;
  return ifText(decoded(found, bytes), `it was read as ${found}, which its bytes look like`);
}

/** Whether it has letters of two alphabets in the same word, as an accent has that is taken for a letter of another one. */
function isMixed(text: string): boolean {
  const others = text.match(/\P{ASCII}/gu)?.length ?? 0;
  return (text.match(twoAlphabets)?.length ?? 0) * 5 > others;
}

const otherAlphabet = String.raw`[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Thai}]`;
const latin = String.raw`\p{sc=Latin}`;
const twoAlphabets = new RegExp(`${latin}(?=${otherAlphabet})|${otherAlphabet}(?=${latin})`, 'gu');

/** The lines that are not ASCII, from the first such character on: as many bytes as make no difference any more. */
function tellingPart(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  if (first === -1) return Buffer.alloc(0);
  const part = bytes.toString('latin1', Math.max(0, first - 200), first + 1_000_000).replaceAll('\u001B', '');
  const lines = part.split('\n').filter((line) => /[\x80-\xff]/.test(line));
  return Buffer.from(lines.join('\n').slice(0, 20_000), 'latin1');
}

/** Undefined where the bytes cannot be of this encoding. */
export function decoded(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodings that offices still write, as the library names them. Each more makes it mistake one for another more often. */
const detectEncodings = (
  'windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 ' +
  'iso-8859-2 koi8-r koi8-u cp866 big5 gb18030 euc-jp cp932 cp949 cp874 mac-roman'
).split(' ');

/** How much likelier than others an encoding is before a letter is seen: of a few words several may be right. */
const prior = new Map([
  ['Windows-1252', 3 / 2],
  ['Macintosh', 7 / 5],
]);

/** Those that it finds under names which nobody else uses. */
const commonNames = new Map([
  ['CP932', 'Shift_JIS'],
  ['SHIFT_JIS', 'Shift_JIS'],
  ['CP949', 'EUC-KR'],
  ['CP874', 'Windows-874'],
  ['cp1258', 'Windows-1258'],
  ['koi8-u', 'KOI8-U'],
  ['MacRoman', 'Macintosh'],
]);

/** The encodings of code pages besides those of Windows alone. */
const pages: Readonly<Record<number, string>> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** The encoding of a code page of Windows; undefined if it is not known. */
export function pageEncoding(page: number): string | undefined {
  try {
    return new TextDecoder(pages[page] ?? `windows-${page}`).encoding;
  } catch {
    return undefined;
  }
}
