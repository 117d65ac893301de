import { expect, test } from 'vitest';
import { redact } from '../../src/util/text/redact.ts';

test.each([
  ['http://name:pass@host/x', 'http://[redacted]@host/x'],
  ['git+ssh://a:b@c:d@host', 'git+ssh://[redacted]@host'],
  ['x://:p@host and y://n@host:80/@', 'x://[redacted]@host and y://n@host:80/@'],
  ['token=eyJhbGciOiJI.eyJzdWIiOiIx.abc-_', 'token=[redacted]'],
  ['of-eyJhbGciOiJI.eyJzdWIiOiIx.abc', 'of-[redacted]'],
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
