import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { redact, secretName, withoutKnown } from '../util/text/redact.ts';
import type { Environment } from '../util/environment.ts';
import { withVariables } from '../config/variables.ts';
import type { McpServer } from '../protocol/settings.ts';
import { decodedPart } from '../util/text/decoded-part.ts';

/** Shorter values are no secrets that anybody would guard, and might be a part of any text. */
const shortest = 8;

/** Values of variables that are named like secrets, and passwords and keys in addresses, such as `DATABASE_URL`. */
export function secretsOf(environment: Environment): string[] {
  const found = Object.entries(environment).flatMap(([name, value = '']) => [
    ...(secretName.test(name) && !isPath(name, value) ? [value, ...value.split(',')] : []),
    ...secretsInAddress(value),
  ]);
  return [...new Set(found.map((each) => each.trim()))].filter((each) => each.length >= shortest);
}

/** Whether a variable leads to a file or a folder, such as to that of the credentials, or to where the shell is. */
const isPath = (name: string, value: string): boolean => name === 'PWD' || (isAbsolute(value) && existsSync(value));

/** Values of variables that a server of tools is given as secrets: in its headers, and in its `env` under such a name. */
export function secretsGiven(server: McpServer, environment: Environment): string[] {
  const isHeader = 'url' in server;
  const texts = (isHeader ? server.headers : server.env) ?? {};
  const secret = Object.entries(texts).filter(([name]) => isHeader || secretName.test(name));
  return withVariables(Object.fromEntries(secret), environment).secrets.filter((each) => each.length >= shortest);
}

function secretsInAddress(text: string): string[] {
  if (!text.includes('://') || !URL.canParse(text)) return [];
  const { password, searchParams, username } = new URL(text);
  const named = [...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  return [password, decodedPart(password), ...(password === '' ? [] : [`${username}:${password}`]), ...named];
}

/** The same value without known secrets in any of its texts; the value itself where it holds none. */
export function withoutSecretsIn<T>(value: T, secrets: readonly string[]): T {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined || withoutKnown(json, secrets) === json) return value;
  return mapped(value, (text) => withoutKnown(text, secrets)) as T;
}

/** Takes secrets out of an error, out of its stack, its causes and what else it carries, in place. @returns the error */
export function withoutSecretsInError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return mapped(error, (text) => redact(text, secrets));
  const detailed = error as Error & { details?: unknown };
  const rest = { message: redact(error.message, secrets), stack: redact(error.stack ?? '', secrets) };
  for (const [key, text] of Object.entries(rest)) {
    if (detailed[key as 'message'] !== text)
      Object.defineProperty(error, key, { value: text, configurable: true, writable: true });
  }
  if (detailed.details !== undefined) detailed.details = mapped(detailed.details, (text) => redact(text, secrets));
  if (error.cause !== undefined) withoutSecretsInError(error.cause, secrets);
  return error;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapped(each, change)]));
}
