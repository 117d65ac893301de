import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, toolResults } from '../support/agent-script.ts';
import type { Script, Scripted } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';
import { textsIn, writeFiles } from '../support/workspace-script.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen), { REPRISE_ALLOW_COMMANDS: 'local' });
});
afterAll(() => run[Symbol.asyncDispose]());

const sh = (command: string) => call('run_command', { command });
const view = (path: string) => call('view_file', { path });
const find = (text: string) => call('search_files', { text });
const edit = (path: string, old_text: string, new_text: string) => call('edit_file', { path, old_text, new_text });

interface Repository {
  files: Record<string, string>;
  /** Fails before the fix, and passes after it. */
  tests: string;
  steps: Scripted[];
  /** Lines that the fix takes out and puts in. */
  diff: string[];
}

const numbered = (count: number, text: (at: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/unit${at}.js`, text(at)]));

const node = 'node --test test/*.test.js';
const python = 'python3 -m unittest -q';

const repositories: Record<string, Repository> = {
  'of Node': {
    files: {
      'package.json': '{"type": "module"}\n',
      'src/cart.js': 'export const total = (rows) => rows.reduce((sum, { price }) => sum + price, 0);\n',
      'test/cart.test.js':
        "import assert from 'node:assert';\nimport test from 'node:test';\nimport { total } from '../src/cart.js';\n" +
        'test("counts", () => assert.equal(total([{ price: 2, count: 3 }, { price: 1, count: 1 }]), 7));\n',
    },
    tests: node,
    steps: [
      view('test/cart.test.js'),
      view('src/cart.js'),
      edit('src/cart.js', '{ price }) => sum + price', '{ count, price }) => sum + count * price'),
    ],
    diff: ['-export const total = (rows) => rows.reduce((sum, { price }) => sum + price, 0);', '+export const total'],
  },
  'of Python, in two places of a file at once, after a miss': {
    files: {
      'dates.py': 'def is_leap(year):\n    return year % 4 == 0\n\n\ndef days(year):\n    return 365\n',
      'test_dates.py':
        'import unittest\nfrom dates import days, is_leap\n\n\nclass Dates(unittest.TestCase):\n    def test_leap(self):\n' +
        '        self.assertEqual([is_leap(1900), is_leap(2000)], [False, True])\n' +
        '        self.assertEqual([days(2023), days(2024)], [365, 366])\n',
    },
    tests: python,
    steps: [
      view('dates.py'),
      edit('dates.py', 'return (year % 4 == 0)', 'return'),
      call('edit_file', {
        path: 'dates.py',
        edits: [
          {
            old_text: 'return year % 4 == 0',
            new_text: 'return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
          },
          { old_text: 'return 365', new_text: 'return 366 if is_leap(year) else 365' },
        ],
      }),
    ],
    diff: ['-    return year % 4 == 0', '+    return 366 if is_leap(year) else 365'],
  },
  'with CRLF, edited by LF': {
    files: {
      'package.json': '{"type": "module"}\r\n',
      'src/name.js': 'export function name(given, family) {\r\n  // Both.\r\n  return given + family;\r\n}\r\n',
      'test/name.test.js':
        "import assert from 'node:assert';\r\nimport test from 'node:test';\r\nimport { name } from '../src/name.js';\r\n" +
        'test("name", () => assert.equal(name("Ada", "Lovelace"), "Ada Lovelace"));\r\n',
    },
    tests: node,
    steps: [
      view('src/name.js'),
      edit(
        'src/name.js',
        '  // Both.\n  return given + family;',
        '  // Both,\n  // with a space.\n  return `${given} ${family}`;',
      ),
    ],
    diff: ['-  return given + family;', '+  return `${given} ${family}`;'],
  },
  'of two languages': {
    files: {
      'package.json': '{"type": "module"}\n',
      'make.py': 'import json\n\nprint(json.dumps({"celsius": 20, "place": "Köln"}))\n',
      'src/read.js':
        'export const read = (json) => { const { temp, place } = JSON.parse(json); return `${place}: ${temp}`; };\n',
      'test/read.test.js':
        "import assert from 'node:assert';\nimport { execFileSync } from 'node:child_process';\nimport test from 'node:test';\n" +
        "import { read } from '../src/read.js';\n" +
        'test("read", () => assert.equal(read(execFileSync("python3", ["make.py"]).toString()), "Köln: 20 °C"));\n',
    },
    tests: node,
    steps: [
      view('make.py'),
      view('src/read.js'),
      edit('make.py', '"celsius": 20', '"temp": 20, "unit": "°C"'),
      call('edit_file', {
        path: 'src/read.js',
        edits: [
          { old_text: '{ temp, place }', new_text: '{ temp, place, unit }' },
          { old_text: '${temp}', new_text: '${temp} ${unit}' },
        ],
      }),
    ],
    diff: ['-print(json.dumps({"celsius": 20, "place": "Köln"}))', '+export const read'],
  },
  'of a hundred files': {
    files: {
      'package.json': '{"type": "module"}\n',
      ...numbered(100, (at) => `export const unit${at} = (value) => value ${at === 73 ? '-' : '+'} ${at};\n`),
      'src/all.js': Array.from({ length: 100 }, (_, at) => `export * from './unit${at}.js';\n`).join(''),
      'test/all.test.js':
        "import assert from 'node:assert';\nimport test from 'node:test';\nimport * as all from '../src/all.js';\n" +
        'for (const [name, unit] of Object.entries(all)) test(name, () => assert.equal(unit(1), 1 + Number(name.slice(4))));\n',
    },
    tests: node,
    steps: [find('value -'), view('src/unit73.js'), edit('src/unit73.js', 'value - 73', 'value + 73')],
    diff: ['-export const unit73 = (value) => value - 73;', '+export const unit73 = (value) => value + 73;'],
  },
};

describe('an agent fixes the failing tests of a repository in at most twelve calls, and voters see how', () => {
  test.each(Object.entries(repositories))('%s', async (_, { diff, files, steps, tests }) => {
    rmSync(join(run.home, 'repo'), { recursive: true, force: true });
    writeFiles(join(run.home, 'repo'), files);
    const all = [call('list_files', {}), sh(tests), ...steps, sh(tests), answer('The tests pass now.')];
    const results = (seen: { prompt: string }) => toolResults(seen as never).filter((text) => text !== 'Recorded.');
    script = teamScript({
      answer: (request) =>
        request.agent === 'fixer'
          ? (all[results(request).length] ?? { status: 400 })
          : answer('I would look at the tests first.'),
      vote: () => vote('agent1'),
    });
    run.model.requests.length = 0;
    const backend = {
      type: 'openai',
      cwd: 'repo',
      enable_mcp_command_line: true,
      command_line_execution_mode: 'local',
    };
    const team = teamOf(['fixer', 'reader'], backend, { max_orchestration_restarts: 0 });
    const permissions = [{ tool: 'run_command', action: 'allow' }];
    const result = await run.orchestrate({ task: 'Fix the tests.', config: { ...team, permissions } });
    expect(all.length).toBeLessThanOrEqual(12);
    const voting = run.model.requests.filter(({ prompt }) => prompt.includes('Vote for the best answer'));
    const fixer = voting.find(({ prompt }) => prompt.includes('I am fixer.'));
    const runs = results(fixer!).filter((text) => text.includes('[exit code'));
    expect(runs.map((text) => /\[exit code (\d+)\]/.exec(text)?.[1])).toEqual(['1', '0']);
    expect(new Set(voting.map(({ prompt }) => /I am (\w+)\./.exec(prompt)?.[1]))).toEqual(new Set(['fixer', 'reader']));
    for (const { prompt } of voting) {
      const shown = /<files agent="agent1">\n([^]*?)\n<\/files>/.exec(prompt)?.[1] ?? '';
      for (const line of diff) expect(shown).toContain(`\n${line}`);
    }
    expect(result).toMatchObject({ finalAgent: 'fixer', warnings: [] });
    const texts = await textsIn(run.home, result.workspace?.tree ?? null);
    for (const [path, text] of Object.entries(files)) {
      if (text.includes('\r\n')) expect(texts[path]?.replaceAll('\r\n', '')).not.toContain('\n');
    }
  });
});
