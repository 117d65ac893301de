const redacted = '[redacted]';

/**
 * What secrets look like, each with what takes its place. From no character on is looked through all the rest, which in a long
 * text would take hours.
 */
const looks: Array<[RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${redacted}`],
  [/\b(?:sk|pk|rk|xai|gsk|tvly|gh[opsu]|ghr|github_pat|glpat|hf|xox[abprs])[-_][\w*.-]{6,}/g, redacted],
  [/\b(?:AIza[\w-]{10,}|AKIA[A-Z0-9]{12,})/g, redacted],
  // The secret of a webhook.
  [/\bwhsec_[\w+/=-]{6,}/g, redacted],
  // A JSON Web Token.
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

/** Takes out known secrets alone: as they are, in base64, and as addresses, JSON, HTML and programs write them. */
export function withoutKnown(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
  return known.flatMap(formsOf).reduce<string>((rest, form) => rest.replaceAll(form, redacted), text);
}

/** The forms of the secrets that were looked for last, since to make them takes longer than to look through a short text. */
const made = new Map<string, Array<string | RegExp>>();
const mostMade = 1000;

function formsOf(secret: string): Array<string | RegExp> {
  const known = made.get(secret);
  if (known !== undefined) return known;
  const isPlain = /^[\w.~-]*$/.test(secret);
  const forms = [isPlain ? secret : new RegExp(secret.toWellFormed().replaceAll(/[^]/gu, writtenAs), 'g')];
  // Short ones have too few characters in base64 to be told from anything else.
  const bytes = Buffer.from(secret);
  if (secret.length >= 8) forms.push(...([0, 1, 2] as const).map((offset) => base64Within(bytes, offset)));
  if (made.size >= mostMade) made.clear();
  made.set(secret, forms);
  return forms;
}

const literal = (text: string): string => text.replaceAll(/\W/g, (each) => `\\u${hexOf(each)}`);

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');

/** A pattern for all ways in which a character of a secret may be written, none of them of any length. */
function writtenAs(character: string): string {
  if (/[\w.~-]/.test(character)) return literal(character);
  const percent = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const units = character.replaceAll(/[^]/g, (unit) => `\\u${hexOf(unit)}`);
  const inJson = JSON.stringify(character).slice(1, -1);
  const forms = [
    percent,
    percent.toUpperCase(),
    units,
    inJson,
    { ' ': '+', '+': '-', '/': '_' }[character] ?? [],
  ].flat();
  return `(?:\\\\{0,4}(?:${[character, ...forms].map(literal).join('|')})|&#?\\w{2,6};)`;
}

/**
 * The part of a base64 text that some bytes make by themselves, after so many bytes of something else, such as `user:`. A long
 * one may be written in lines.
 */
function base64Within(bytes: Buffer, offset: 0 | 1 | 2): RegExp {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  const own = text.slice(Math.ceil((offset * 8) / 6), whole).split('');
  return new RegExp(own.map((each) => ({ '+': '[+-]', '/': '[/_]' })[each] ?? each).join(String.raw`(?:\r?\n)?`), 'g');
}

/** Names of headers, variables, keys and parameters whose values are secret. */
export const secretName =
  /(^|[-_.])(api[-_]?key|apikey|key|token|secret|password|passwd|pwd|authorization|credentials?|cookie|signature)$/i;
