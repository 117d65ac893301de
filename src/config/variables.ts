import { redact } from '../util/text/redact.ts';
import type { Environment } from '../util/environment.ts';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../protocol/errors.ts';

/** `${NAME}`, which stands for the value of the variable NAME in the worker's environment. */
const placeholder = /\$\{([A-Za-z_]\w*)\}/g;

export const variablesIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name = '']) => name);

/** The variables that a configuration names, in whichever of its keys: `api_key_env: NAME`, `secret_env: NAME`, `${NAME}`. */
export function variablesNamedIn(text: string): string[] {
  const found = text.matchAll(/\b(?:api_key|secret)_env["']?\s*:\s*["']?([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}/g);
  return [...new Set([...found].map(([, key, placeholder]) => key ?? placeholder ?? ''))].sort();
}

export interface Replaced {
  values: Record<string, string>;
  /** The values of variables in them, which must not leave the worker. */
  secrets: string[];
  /** With the names of the texts that need them. */
  missing: Array<{ name: string; variable: string }>;
}

/** Puts the worker's variables in place of `${NAME}`. One that is not set leaves nothing. */
export function withVariables(texts: Record<string, string>, environment: Environment): Replaced {
  const secrets: string[] = [];
  const missing: Replaced['missing'] = [];
  const values = Object.entries(texts).map(([name, text]) => {
    const complete = text.replace(placeholder, (_, variable: string) => {
      const { [variable]: secret } = environment;
      if (secret === undefined) missing.push({ name, variable });
      else secrets.push(secret);
      return secret ?? '';
    });
    return [name, complete] as const;
  });
  return { values: Object.fromEntries(values), secrets, missing };
}

export const writtenOut =
  'looks like a secret, and a configuration is kept with its runs: ' +
  "write ${NAME}, and set the variable NAME in the worker's environment";

export const isPlaceholder = (text: string): boolean => text.search(placeholder) !== -1;

/** Whether a text holds a secret itself, rather than the name of a variable that holds it. */
export function holdsSecret(text: string): boolean {
  // A quotation mark ends every pattern of a secret, so the texts around a placeholder are looked at one by one.
  const literal = text.replace(placeholder, '"');
  return redact(literal, []) !== literal;
}

/** The failure of work for which a variable is not set: the run waits for it. @param message names the variable too */
export function keyMissing(message: string, variable: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.missingKey, message, { variable });
}
