/** An encoding of one script, by the bytes of it as Latin-1. */
interface Encoding {
  name: string;
  /** What its letters and signs are; of bytes above ASCII nearly all must be such. */
  usual: RegExp;
  /** What tells it from the others, and which part of the usual it makes up at least. */
  telling: RegExp;
  least: number;
}

/** Those that offices still write. Of several that fit the first is taken. */
const encodings: Encoding[] = [
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

/** How many characters above ASCII tell an encoding, and how many bytes are looked at. */
const fewest = 4;
const examined = 100_000;

/** The encoding of bytes that are neither UTF-8 nor UTF-16, where they tell it; undefined if they do not. */
export function otherEncoding(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1', 0, examined);
  return encodings.find(({ least, telling, usual }) => {
    const known = text.match(usual) ?? [];
    const others = text.replaceAll(usual, '').match(/[\x80-\xff]/g)?.length ?? 0;
    const told = text.match(telling)?.length ?? 0;
    return known.length >= fewest && others * 20 <= known.length && told > 0 && told >= known.length * least;
  })?.name;
}
