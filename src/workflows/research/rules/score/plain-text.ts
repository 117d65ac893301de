import { withoutTables } from './tables.ts';

const stripped: Array<[RegExp, string]> = [
  [/\r\n?/g, '\n'],
  [/[\u200b-\u200f\u2060\ufeff\u00ad]|\ufe0e|\ufe0f|\u20e3/g, ''],
  [/[^\S\n]/g, ' '],
  [/\bhttps?:\/\/[^\s)\]|]+/gi, ' '],
  // What is struck through is withdrawn.
  [/~~[^~\n]{1,200}~~/g, ' '],
  [/<(?:s|del)>[^<\n]{1,200}<\/(?:s|del)>/gi, ' '],
  [/<\s?(-?\d[^<>\n]{0,20})>/g, ' $1 '],
  [/<\/[a-z][^<>\n]{0,60}>|<(?:b|strong|i|em|u|span|code|mark|p|div|br|sup|sub)\b[^<>\n]{0,60}>/gi, ' '],
  [/<([a-z][\w-]{0,40})\s?>/gi, ' $1: '],
  [/&nbsp;/gi, ' '],
  [/\$?\\boxed\{([^{}\n]{0,40})\}\$?/g, ' $1 '],
  [/\\n/g, '\n'],
  [/(?<=\d)( ?)\*(?!\*)\1(?=\d)/g, ' × '],
  // Emphasis, code and quotes say nothing of what they surround.
  [/[\\*`"“”„«»″]/g, ''],
  [/_/g, ' '],
  [/[’‘]/g, "'"],
  [/(?<!\p{L})'|'(?!\p{L})/gu, ''],
  [/½/g, '.5'],
  [/(?<=\d)-?ish\b/gi, ' '],
  [/[⁄∕]/g, '/'],
  [/(?:[-–—=]{1,3}>)|[➡⇒⟶➔➜►]/g, ' → '],
  [/[‐‑‒−]/g, '-'],
  [/[\p{Extended_Pictographic}\u2500-\u27bf•·]/gu, ' '],
  [/(\p{Ll})(\p{Lu})/gu, '$1 $2'],
  [/\b(approx|ca|circa|vs|min|max|est|pts?|e\.g|i\.e)\.(?![\d.])/gi, '$1 '],
  [/\be\.g\b/gi, 'eg'],
  [/\bi\.e\b/gi, 'ie'],
  [/(?<=\d) ?(?:\.{2,}|…) ?(?=\d)/g, '-'],
  [/\.{2,}|…/g, ' '],
];

/** Full-width letters, digits and signs as the plain ones. */
const narrow = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

const isRule = (line: string): boolean => /^[ =\-~+#]{2,}$/.test(line) && !/^[ #]*$/.test(line);

const plainLine = (line: string): string => (isRule(line) ? '' : line.replace(/^ {0,8}>[> ]{0,15}(?!\d)/, ''));

/**
 * A text without its dress: no emphasis, links, emoji or tables, one sign where Unicode has several. Line ends stay.
 * A row of a table becomes lines such as `Viability Score: 58`.
 */
export function plainText(text: string): string {
  const bare = stripped.reduce((left, [pattern, by]) => left.replace(pattern, by), narrow(text));
  return withoutTables(bare.split('\n')).map(plainLine).join('\n').toLowerCase();
}
