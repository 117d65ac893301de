import { expect, test } from 'vitest';
import { hashOf } from '../../src/util/ids.ts';
import { redact } from '../../src/util/text/redact.ts';

test.each([
  ['http://name:pass@host/x', 'http://[redacted]@host/x'],
  ['git+ssh://a:b@c:d@host', 'git+ssh://[redacted]@host'],
  ['x://:p@host and y://n@host:80/@', 'x://[redacted]@host and y://n@host:80/@'],
  ['token=eyJhbGciOiJI.eyJzdWIiOiIx.abc-_', 'token=[redacted]'],
  ['of-eyJhbGciOiJI.eyJzdWIiOiIx.abc', 'of-[redacted]'],
  ['rpr_Zx9kQ7w0 and rpr.cmVhZAoKMA.4R7geTXL', '[redacted] and [redacted]'],
])('%s', (text, expected) => {
  expect(redact(text, [])).toBe(expected);
});

test.each(['a.', 'a-b+', 'eyJ-', 'eyJaaaaaaaa.', ':', '://', 'a:b@', 'sk-', 'Bearer ', 'key='])(
  'no text takes long to look through: %s, and again, and again',
  (part) => {
    const begun = performance.now();
    redact(`http://${part.repeat(2e5)}`, []);
    expect(performance.now() - begun).toBeLessThan(5000);
  },
);

const secret = 'Zx9/kQ+7w==A&c<d>"e\\f g é';

test.each([
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).replaceAll(/%../g, (each) => each.toLowerCase()),
  encodeURIComponent(secret).replaceAll('%2F', '/').replaceAll('%20', '+'),
  JSON.stringify(secret),
  JSON.stringify(JSON.stringify(secret)),
  JSON.stringify(secret).replaceAll('/', '\\/').replaceAll('é', '\\u00e9').replaceAll('&', '\\u0026'),
  secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(`user:${secret.repeat(3)}`)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\n'),
])('a known secret is taken out as it is written here: %s', (text) => {
  const said = redact(text, [secret, secret.repeat(3)]);
  expect(said).toMatch(/\[redacted\]/);
  expect(said).not.toMatch(/kQ|7w|g é|A&c/);
  expect(said.length).toBeLessThan(30);
});

const plain = 'Zx9-kQ7wAc_dg34';
const byEach = (write: (unit: number) => string): string => plain.replaceAll(/./g, (each) => write(each.charCodeAt(0)));
const hex = Buffer.from(plain).toString('hex');

test.each([
  plain,
  `${plain.slice(0, 5)}\n    ${plain.slice(5)}`,
  `${plain.slice(0, 5)}\\\r\n${plain.slice(5)}`,
  Buffer.from(plain).toString('base64'),
  hex,
  hex.toUpperCase(),
  hex.replaceAll(/../g, '\\x$&'),
  hex.replaceAll(/../g, '%$&'),
  byEach((unit) => JSON.stringify(`\\u00${unit.toString(16)}`).slice(1, -1)),
  byEach((unit) => `&#${unit};`),
  byEach((unit) => `&#x${unit.toString(16)};`),
])('nor does it stay if no character of it needs to be written otherwise: %s', (text) => {
  expect(redact(`It is ${text}.`, [plain])).toMatch(/^It is \[redacted\]\.$/);
});

test.each([199, 200, 4000, 20_001])('no secret is too long: one of %i characters', (length) => {
  const lines = Array.from(
    { length: length / 20 + 1 },
    (_, index) => `"é": "${hashOf(String(index)).slice(0, 20)}"\n  `,
  );
  const long = lines.join('').slice(0, length);
  expect(redact(`It is ${long}`, [long])).toBe('It is [redacted]');
  expect(redact(JSON.stringify(long), [long])).toBe('"[redacted]"');
});
