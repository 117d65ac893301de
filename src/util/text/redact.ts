/** What stands in place of a secret. */
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

/** Takes out known secrets alone: as they are, in base64, percent-encoded, and as JSON writes them. */
export function withoutKnown(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
  return known.flatMap(formsOf).reduce((rest, form) => rest.replaceAll(form, redacted), text);
}

function formsOf(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
  // Short ones have too few characters in base64 to be told from anything else.
  const bytes = Buffer.from(secret);
  if (secret.length >= 8) forms.push(...([0, 1, 2] as const).map((offset) => base64Within(bytes, offset)));
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))])];
}

/** The part of a base64 text that some bytes make by themselves, after so many bytes of something else, such as `user:`. */
function base64Within(bytes: Buffer, offset: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), whole);
}

/** Names of headers, variables, keys and parameters whose values are secret. */
export const secretName =
  /(^|[-_.])(api[-_]?key|apikey|key|token|secret|password|passwd|pwd|authorization|credentials?|cookie|signature)$/i;
