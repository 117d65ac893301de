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
