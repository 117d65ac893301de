import { expect, test } from 'vitest';
import { jsonOf, lineOf } from '../../src/worker/quiet-runtime.ts';

const said = 'no file \u001B]52;c;cm0=\u0007"a\u202Eb"\r\nERROR forged\u009B31m';
const entry = {
  level: 'WARN' as const,
  message: 'Activity failed',
  timestampNanos: 0n,
  meta: { error: new Error(said), workflowId: 'q\u001B[2J1', attempt: 2 },
};

test('a warning stays one line, and what an error quotes steers no terminal', () => {
  expect(lineOf(entry, false)).toBe('WARN Activity failed: no file "ab"; ERROR forged (q1, try 2)\n');
  expect(JSON.parse(jsonOf(entry, false))).toMatchObject({ error: 'no file "ab"\nERROR forged', workflowId: 'q1' });
});
