import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLine } from '../../../../src/workflows/agent/commands/line.ts';

let folder: string;
let logs: string;

/** Programs that write down with which words they were called. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-line-'));
  logs = join(folder, 'logs');
  for (const name of ['a', 'b', 'ab', 'ba', 'aa', 'bb']) {
    const program = `#!/bin/sh\nprintf '%s\\0' '${name}' "$@" > '${logs}'/$$\n`;
    writeFileSync(join(folder, name), program);
    chmodSync(join(folder, name), 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a shell runs for a line, in any order, since programs of a pipe run at once. */
function ranBy(shell: string, line: string): string[] {
  mkdirSync(logs);
  const given = [...(shell.endsWith('bash') ? ['--posix'] : []), '-c', `${line}\nwait`];
  spawnSync(shell, given, { cwd: folder, env: { PATH: folder }, stdio: 'ignore' });
  const ran = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  rmSync(logs, { recursive: true });
  return ran.sort();
}

const shells = ['/bin/sh', '/bin/dash', '/bin/bash']
  .filter((path) => existsSync(path))
  // Often one of them is another's name.
  .filter((path, index, all) => all.findIndex((each) => realpathSync(each) === realpathSync(path)) === index);

test.for(shells)('%s runs what was read in a plain line, and nothing else', (shell) => {
  const signs = 'ab \t\n;|\'"\\#$=-{}!%^,1'.split('');
  const parts = ['  ', '&&', '\\\n', '~x', '..', '2>&1', '>/dev/null', '</dev/null', 'a ', ' b', 'b ', ' a'];
  const quoted = ["'a b'", '"b;a"', '" \\" "', '"\\$a"', '"\\a$"', "''"];
  const lines = fc.array(fc.constantFrom(...signs, ...parts, ...quoted), { minLength: 1, maxLength: 9 });
  let plain = 0;
  fc.assert(
    fc.property(lines, (each) => {
      const line = `a ${each.join('')}`;
      const { commands, isPlain } = readLine(line);
      // Of `||` only one side runs, and what is no program here writes nothing down.
      fc.pre(
        isPlain && !line.includes('||') && commands.every(({ words }) => /^(?:a|b|aa|ab|ba|bb)$/.test(words[0] ?? '')),
      );
      plain += 1;
      const read = commands.map(({ words }) => words.map((word) => `${word}\0`).join('')).sort();
      expect(ranBy(shell, line)).toEqual(read);
    }),
    { numRuns: 300 },
  );
  expect(plain).toBeGreaterThan(100);
});

test('a line that is not plain says so, and shows what it can', () => {
  expect(readLine('a "b c" 2>&1 | d*')).toEqual({
    commands: [
      { words: ['a', 'b c'], filledIn: [], written: 'a "b c" 2>&1', isRedirected: true },
      { words: ['d*'], filledIn: [0], written: 'd*' },
    ],
    isPlain: false,
    isWhole: false,
  });
  expect(readLine('a $X > b')).toMatchObject({
    commands: [{ words: ['a', '$X'] }],
    isPlain: false,
    isWhole: true,
  });
  expect(readLine(`a ${'b'.repeat(10_000)}`)).toEqual({ commands: [], isPlain: false, isWhole: false });
});

test('any text is read without a failure, and what was read of a plain one is all of it', () => {
  const signs = ' \t\n;&|<>()$`\\"\'*?[#~=%{}!ab-/\u00A0\r\0'.split('');
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...signs), maxLength: 30 }));
  fc.assert(
    fc.property(texts, (text) => {
      const { commands, isPlain, isWhole } = readLine(text);
      if (!isPlain) return;
      expect(isWhole).toBe(true);
      // Behind quotes and comments nothing is left in a plain line that could start anything.
      expect(text.replaceAll(/'[^']*'|"(?:\\.|[^"])*"|\\[^]|(?<![^\s;&|])#[^\n]*/gs, '')).not.toMatch(
        /[$`()<>](?!\/|&|\?| *\/dev\/null| *[\w.~+-])/,
      );
      expect(commands.every(({ words }) => words.length > 0)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
