import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openLines } from '../../src/cli/commands/chat-turn.ts';
import type { Shell } from '../../src/cli/shell.ts';

const up = '\u001B[A';

test.each([
  ['a text of several lines', '\u001B[200~one\ntwo\u001B[201~\r', ['one\ntwo'], 'one\ntwo'],
  ['of lines that came at once the last one', 'a\rb\r', ['a', 'b'], 'b'],
])('the arrow key brings back what was said last: %s', async (_, typed, heard, again) => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const lines = openLines({ canPrompt: true, env: {}, stdin, stderr } as unknown as Shell, () => {
    throw new Error('interrupted');
  })[Symbol.asyncIterator]();
  const next = lines.next();
  stdin.write(typed);
  const said = [(await next).value];
  while (said.length < heard.length) said.push((await lines.next()).value);
  expect(said).toEqual(heard);
  const recalled = lines.next();
  stdin.write(`${up}\r`);
  expect((await recalled).value).toBe(again);
});
