/**
 * A text as a terminal and a log may show it: what a model or a person writes must not steer the terminal of whoever
 * reads it. Taken out are escape sequences with all that is in them (ECMA-48): CSI, and the strings of OSC, DCS, SOS,
 * PM and APC, such as OSC 52, which writes to the clipboard; of one without an end only its beginning, so that it
 * cannot hide the text behind it. So are all control characters other than tab and newline, and the embeddings,
 * overrides and isolates by which a text could be shown in another order than it has (Trojan Source). Emoji stay whole.
 */
export const printable = (text: string): string => text.replace(unprintable, '');

// Within a string no introducer of another one may stand, so that a hostile text takes no longer than a long one.
const strings =
  '(?:\\x1B[\\]P^_X]|[\\x90\\x98\\x9D-\\x9F])[^\\x07\\x1B\\x90\\x98\\x9C-\\x9F]*(?:\\x07|\\x1B\\\\|\\x9C)';
const control = '(?:\\x1B\\[|\\x9B)[0-?]*[ -/]*[@-~]';
const other = '\\x1B[ -/]*[0-Z\\\\-~]';
const characters = '[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\u202A-\\u202E\\u2066-\\u2069]';
const unprintable = new RegExp([strings, control, other, characters].join('|'), 'g');
