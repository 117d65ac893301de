const redacted = '[redacted]';

/** What secrets look like, with what takes their place. No pattern looks through all the rest from each character: that takes hours. */
const looks: Array<[RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${redacted}`],
  [/\b(?:sk|pk|rk|rpr|xai|gsk|tvly|gh[opsu]|ghr|github_pat|glpat|hf|xox[abprs])[-_][\w*.-]{6,}/g, redacted],
  [/\b(?:AIza[\w-]{10,}|AKIA[A-Z0-9]{12,})/g, redacted],
  // A token of this server that opens less than everything.
  [/\brpr\.[\w-]{6,}\.[\w-]+/g, redacted],
  [/\bwhsec_[\w+/=-]{6,}/g, redacted],
  [/\beyJ(?:(?!\beyJ)[\w-]){8,}\.[\w-]{8,}\.[\w-]*/g, redacted],
  [
    /([?&](?:api[-_]?key|key|(?:access[-_]?|auth[-_]?)?token|secret|password|sig|signature)=)[^&\s"'#]+/gi,
    `$1${redacted}`,
  ],
  // The name and the password in an address, which may hold an @ themselves.
  [/(?<=[a-z0-9+.-]:\/\/)[^\s/?#"'@:]*:[^\s/?#"']*@/gi, `${redacted}@`],
];

/** Takes out known secrets, however they are written, and whatever looks like one. */
export const redact = (text: string, secrets: readonly string[]): string =>
  looks.reduce((rest, [look, instead]) => rest.replace(look, instead), withoutKnown(text, secrets));

/** Takes out known secrets alone: as they are, in lines, in base64, in hex, and as addresses, JSON, HTML and programs write them. */
export function withoutKnown(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.filter(({ length }) => length >= 4).flatMap(formsOf));
  if (forms.size === 0) return text;
  const written = binary(text);
  const { placeOf, plain } = plainOf(written);
  const found: Place[] = [];
  for (const form of forms)
    for (let at = plain.indexOf(form); at !== -1; at = plain.indexOf(form, at + form.length))
      found.push({ from: placeOf(at).from, to: placeOf(at + form.length - 1).to });
  if (found.length === 0) return text;
  let [rest, until] = ['', 0];
  for (const { from, to } of found.toSorted((one, other) => one.from - other.from)) {
    if (from >= until) rest += written.slice(until, from) + redacted;
    until = Math.max(until, to);
  }
  return Buffer.from(rest + written.slice(until), 'latin1').toString();
}

/** The forms of the secrets that were looked for last, since to make them takes longer than to look through a short text. */
const made = new Map<string, string[]>();
const mostMade = 1000;

function formsOf(secret: string): string[] {
  const forms = made.get(secret) ?? newFormsOf(secret);
  if (made.size >= mostMade) made.clear();
  made.set(secret, forms);
  return forms;
}

/** All that a secret may have become by the time it is written, besides what `plainOf` undoes. */
function newFormsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  // Short ones have too few characters in these to be told from anything else.
  const others =
    secret.length < 8 ? [] : [hex, hex.toUpperCase(), ...[0, 1, 2].map((each) => base64Within(bytes, each))];
  return [binary(secret), ...others].map((form) => plainOf(form).plain).filter(({ length }) => length >= 4);
}

/** The part of a base64 text that some bytes make by themselves, after so many bytes of something else, such as `user:`. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** A text with a character for each of its bytes, since some ways to write it know bytes alone. */
const binary = (text: string): string => Buffer.from(text).toString('latin1');

interface Place {
  from: number;
  to: number;
}

/** Line ends, with how the next line is indented; percents, escapes of programs and JSON, entities of HTML. */
const escapes =
  /(?:\\?\r?\n|\\+[nr])[ \t]*|(?:%|\\+x)([\da-f]{2})|\\+u([\da-f]{4})(?:\\+u(d[c-f][\da-f]{2}))?|&#(\d{1,6});|&#x([\da-f]{1,5});|&(amp|lt|gt|quot|apos);|\\+([^\\]?)/gi;

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped([, byte, unit, second, decimal, hex, entity, character]: RegExpExecArray): string {
  if (character !== undefined) return character;
  if (byte !== undefined) return String.fromCharCode(parseInt(byte, 16));
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? '';
  const units = [unit, second].flatMap((each) => (each === undefined ? [] : parseInt(each, 16)));
  if (units.length > 0) return binary(String.fromCharCode(...units));
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return Number.isNaN(code) ? '' : binary(String.fromCodePoint(code));
}

/** A text without the ways in which it may be written, and where each of its characters was. */
function plainOf(written: string): { plain: string; placeOf: (index: number) => Place } {
  const parts: string[] = [];
  const starts: number[] = [];
  const places: Place[] = [];
  let [length, until] = [0, 0];
  const add = (part: string, from: number, to: number): void => {
    until = to;
    if (part === '') return;
    parts.push(part);
    starts.push(length);
    places.push({ from, to });
    length += part.length;
  };
  for (const match of written.matchAll(escapes)) {
    add(written.slice(until, match.index), until, match.index);
    add(unescaped(match).replaceAll(/[\\\r\n]/g, ''), match.index, match.index + match[0].length);
  }
  add(written.slice(until), until, written.length);
  // Addresses write these characters otherwise.
  const plain = parts.join('').replaceAll(/[ +]/g, '-').replaceAll('/', '_');
  const placeOf = (index: number): Place => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    const { from, to } = places[low] ?? { from: 0, to: 0 };
    if (to - from !== parts[low]?.length) return { from, to };
    const at = from + index - (starts[low] ?? 0);
    return { from: at, to: at + 1 };
  };
  return { plain, placeOf };
}

/** Names of headers, variables, keys and parameters whose values are secret. */
export const secretName =
  /(^|[-_.])(api[-_]?key|apikey|key|token|secret|password|passwd|pwd|authorization|credentials?|cookie|signature)$/i;
