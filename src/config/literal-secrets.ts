import type { Problem } from './problems.ts';
import { holdsSecret, isPlaceholder, writtenOut } from './variables.ts';
import { secretName } from '../util/text/redact.ts';

const kept = 'holds what looks like a secret, and a configuration is kept with its runs: ';
const inEnvironment = "set the variable NAME in the worker's environment";

const noName = `is no name of a variable: put the key into a variable of the worker's environment, and write the variable's name here`;

/** How a secret is written where it stands; elsewhere as `writtenOut` says. */
const ways: Record<string, string> = {
  api_key_env: noName,
  secret_env: noName,
  base_url: `${kept}leave it out of the address, write \${NAME} under headers or the variable's name under api_key_env, and ${inEnvironment}`,
  url: `${kept}leave it out of the address, write \${NAME} under headers, and ${inEnvironment}`,
  issuer: `${kept}leave it out of the address`,
  extra_body: `${kept}write \${NAME} under headers, and ${inEnvironment}`,
  command: `${kept}hand it over by env, write \${NAME} there, and ${inEnvironment}`,
  args: `${kept}hand it over by env, write \${NAME} there, and ${inEnvironment}`,
};

/** What people write in their own words. */
const prose = ['system_message', 'domain', 'prompt', 'description', 'instructions'];

/** In a request's body a `token` may be a piece of text, and a `key` anything. */
const secretBodyName =
  /(^|[-_.])(api[-_]?key|apikey|(access|auth|api|bearer)[-_]?token|secret|password|authorization)$/i;

/** An option of a command whose value is secret, with the value that may stand behind it. */
const secretOption =
  /^--?(?:[\w-]*[-_])?(?:api[-_]?key|key|token|secret|password|passwd|auth|authorization)(?:=(.*))?$/i;

/** All places of a configuration at which a secret stands itself. The messages never show it. */
export const literalSecrets = (content: unknown): Problem[] =>
  found(content, [], '').filter(({ path }) => !isProse(path));

/** The same in people's own words, which may only look like secrets. */
export const proseSecrets = (content: unknown): Problem[] => found(content, [], '').filter(({ path }) => isProse(path));

const isProse = (path: PropertyKey[]): boolean => prose.includes(String(path.at(-1)));

/** @param place the key under which it stands, which says how a secret is written there */
function found(value: unknown, path: PropertyKey[], place: string): Problem[] {
  if (typeof value === 'string') {
    const isSecret = isSecretAt(value, path, place);
    return isSecret ? [{ path, message: ways[place] ?? writtenOut }] : [];
  }
  if (Array.isArray(value)) {
    const options = place === 'args' || place === 'command' ? valuesOfOptions(value) : [];
    return value.flatMap((each, index) =>
      options.includes(index)
        ? [{ path: [...path, index], message: ways[place] ?? writtenOut }]
        : found(each, [...path, index], place),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    found(each, [...path, key], Object.hasOwn(ways, key) || place !== 'extra_body' ? key : place),
  );
}

function isSecretAt(text: string, path: PropertyKey[], place: string): boolean {
  if (ways[place] === noName) return !/^[A-Za-z_]\w*$/.test(text) || holdsSecret(text) || isRandom(text);
  if (holdsSecret(text)) return true;
  const name = String(path.at(-1));
  const parent = String(path.at(-2));
  if (parent === 'headers' || parent === 'env') return secretName.test(name) && isLiteral(text);
  if (path.includes('extra_body')) return secretBodyName.test(name) && isLiteral(text);
  if (place === 'args' || place === 'command')
    return text.split(/\s+/).some((word) => isLiteral(secretOption.exec(word)?.[1]));
  return false;
}

/** Places of words that follow an option whose value is secret, as in `--token abc`. */
const valuesOfOptions = (words: unknown[]): number[] =>
  words.flatMap((word, index) => {
    const [before, own] = [words[index - 1], word];
    const follows =
      typeof before === 'string' && secretOption.exec(before)?.[1] === undefined && secretOption.test(before);
    return follows && typeof own === 'string' && !own.startsWith('-') && isLiteral(own) ? [index] : [];
  });

/** Whether a value can be a secret: no placeholder, not empty, and no number or switch. */
const isLiteral = (text: string | undefined): boolean =>
  text !== undefined && !isPlaceholder(text) && !/^(|\d+|true|false|none|null)$/i.test(text.trim());

/** Whether a word that could be a variable's name is one that nobody would think of. */
const isRandom = (text: string): boolean => /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{20,}$/.test(text);
