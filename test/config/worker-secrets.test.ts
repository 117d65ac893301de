import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { secretsOf, withoutSecretsIn } from '../../src/trust/worker-secrets.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

test.each([
  ['OPENAI_API_KEY', 'sk-1234567890', ['sk-1234567890']],
  ['REPRISE_ENCRYPTION_KEY', 'first-key,second-key', ['first-key,second-key', 'first-key', 'second-key']],
  ['DB_PWD', 'correct horse', ['correct horse']],
  ['SIGNING_KEY', '/ab+cd/efgh=', ['/ab+cd/efgh=']],
  ['DATABASE_URL', 'postgres://reprise:a-password@db/reprise', ['a-password', 'reprise:a-password']],
  ['SHORT_KEY', '1234567', []],
  ['HOME', '/home/somebody', []],
  // The shell's own variable, which many texts hold.
  ['PWD', '/srv/a-folder-that-is-not-there', []],
  ['TLS_KEY', here, []],
])('of %s=%s what is secret is %j', (name, value, secrets) => {
  expect(secretsOf({ [name]: value })).toEqual(secrets);
});

test('a value without secrets is given back as it is', () => {
  const value = { folder: '/srv/papers', list: ['a'] };
  expect(withoutSecretsIn(value, ['sk-1234567890'])).toBe(value);
});

test('no text of a value keeps a secret, nor does a name in it', () => {
  const value = { 'by sk-1234567890': ['sk-1234567890', { at: 1 }] };
  expect(withoutSecretsIn(value, ['sk-1234567890'])).toEqual({ 'by [redacted]': ['[redacted]', { at: 1 }] });
});
