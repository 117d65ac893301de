import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import type { WorkspaceInput } from '../../../src/protocol/workspace.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { stallOf } from '../../support/stall.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { FileMode } from '../../../src/tools/workspace.ts';

const wheels = mkdtempSync(join(tmpdir(), 'reprise-wheels-'));
const bench = toolBench({}, { REPRISE_WHEELS: wheels });
const trees = new Trees(bench.store);
afterAll(async () => {
  await bench.close();
  rmSync(wheels, { recursive: true, force: true });
});

async function treeOf(files: Record<string, string | Buffer>, mode: FileMode = 'file'): Promise<string | null> {
  const tree = new Map<string, { id: string; bytes: number; mode: FileMode }>();
  for (const [path, text] of Object.entries(files)) {
    const [id = ''] = await bench.store.putObjects([Buffer.from(text)]);
    tree.set(path, { id, bytes: Buffer.byteLength(text), mode });
  }
  return trees.write(tree);
}

async function filesOf({ tree = null }: Pick<CallToolResult, 'tree'>): Promise<Record<string, string>> {
  const read = [...(await trees.read(tree))].map(async ([path, { id, mode }]) => {
    const text = Buffer.from(await bench.store.object(id)).toString();
    return [mode === 'file' ? path : `${path} (${mode})`, text];
  });
  return Object.fromEntries((await Promise.all(read)) as Array<[string, string]>);
}

const call = (code: string, workspace: Partial<WorkspaceInput> = {}, seconds = 60) =>
  bench.call(
    {
      name: 'run_python',
      source: { package: 'builtin.python' },
      timeout: 400,
      workspace: { tree: null, mounts: [], ...workspace },
    },
    { code, seconds },
  );
const run = async (code: string, files: Record<string, string> = {}, seconds = 60): Promise<CallToolResult> =>
  call(code, { tree: await treeOf(files) }, seconds).result;

describe('run_python answers as a REPL does', () => {
  test('with what is printed, on both streams, and the value of the last expression', async () => {
    const code = 'import sys\nprint("né")\nprint("oops", file=sys.stderr)\nx = [1, "a"]\nx';
    expect(await run(code)).toEqual({ status: 'ok', text: "né\noops\n[1, 'a']" });
    expect((await run('x = 1')).text).toBe('(no output)');
  });

  test('with what is awaited, and loops of its own', async () => {
    const code = [
      'import asyncio, time',
      'async def double(n):',
      '    await asyncio.sleep(0.01)',
      '    return 2 * n',
      'time.sleep(0.01)',
      'print(await asyncio.gather(double(1), double(2)))',
      'asyncio.run(double(4))',
    ];
    expect((await run(code.join('\n'))).text).toBe('[2, 4]\n8');
  });

  test('with a traceback of its own lines, in its own files too, after what was printed before', async () => {
    const code = 'import json, helper\nprint("so far")\nhelper.read("{")';
    const { status, text } = await run(code, {
      'helper.py': 'import json\n\ndef read(text):\n    return json.loads(text)\n',
    });
    expect(status).toBe('error');
    expect(text).toBe(
      [
        'so far',
        'Traceback (most recent call last):',
        '  File "code.py", line 3, in <module>',
        '    helper.read("{")',
        '    ~~~~~~~~~~~^^^^^',
        '  File "/workspace/helper.py", line 4, in read',
        '    return json.loads(text)',
        '           ~~~~~~~~~~^^^^^^',
        'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
        '[no file was changed]',
      ].join('\n'),
    );
  });

  test('with what is wrong in a program that cannot be read, and with its status', async () => {
    expect((await run('x = (1')).text).toContain("SyntaxError: '(' was never closed");
    expect((await run('import sys\nprint(1)\nsys.exit()')).text).toBe('1');
    expect(await run('import sys\nsys.exit("no data")')).toMatchObject({
      status: 'error',
      text: 'SystemExit: no data\n[no file was changed]',
    });
  });

  test('with the same order of sets, and other random numbers, in each run', async () => {
    const code = 'import random, uuid\nprint({"a", "b", "c", "d"}, sep="")\nrandom.random(), uuid.uuid4()';
    const [one = '', other = ''] = (await Promise.all([run(code), run(code)])).map(({ text }) => text);
    expect(one.split('\n')[0]).toBe(other.split('\n')[0]);
    expect(one.split('\n')[1]).not.toBe(other.split('\n')[1]);
  });

  test('with the beginning and the end of what is too long, and how much lies between them', async () => {
    const { status, blob = '' } = await run('for i in range(300_000): print(i)');
    expect(status).toBe('ok');
    const text = await bench.store.blob(blob);
    expect(text.startsWith('0\n1\n')).toBe(true);
    expect(text).toContain('characters were left out here');
    expect(text.trimEnd().endsWith('299999')).toBe(true);
  });

  test('until it has printed more than 20 MB', async () => {
    const { status, blob = '' } = await run('print("begun")\nfor i in range(30): print("x" * 1_000_000)');
    expect(status).toBe('error');
    const text = await bench.store.blob(blob);
    expect(text).toMatch(/^begun\nx/);
    expect(text).toMatch(/\n\[it had printed more than 20 MB\]\n\[no file was changed\]$/);
  });
});

describe('the files of run_python', () => {
  test('are those of the agent, and what it does to them is kept', async () => {
    const files = { 'data/in.csv': 'a,b\n1,2\n', 'old.txt': 'old', 'same.txt': 'same', 'cut.txt': '123456' };
    const code = [
      'import csv, os, pathlib',
      'rows = list(csv.DictReader(open("data/in.csv")))',
      'pathlib.Path("out/deep").mkdir(parents=True)',
      'pathlib.Path("out/deep/sum.txt").write_text(str(int(rows[0]["a"]) + int(rows[0]["b"])))',
      'os.remove("old.txt")',
      'os.rename("data/in.csv", "data/moved.csv")',
      'open("same.txt").read()',
      'os.truncate("cut.txt", 3)',
      'pathlib.Path("run.sh").write_text("#!"); os.chmod("run.sh", 0o755)',
    ];
    const result = await run(code.join('\n'), files);
    expect(result).toMatchObject({
      status: 'ok',
      text: '[written: cut.txt, data/moved.csv, out/deep/sum.txt, run.sh]\n[deleted: data/in.csv, old.txt]',
    });
    expect(await filesOf(result)).toEqual({
      'cut.txt': '123',
      'data/moved.csv': 'a,b\n1,2\n',
      'out/deep/sum.txt': '3',
      'run.sh (executable)': '#!',
      'same.txt': 'same',
    });
  });

  test('stay as they are if it changes none, even if it writes the same', async () => {
    const code = 'import helper\ntext = open("a.txt").read()\nopen("a.txt", "w").write(text)\nNone';
    const files = { 'a.txt': 'a', 'helper.py': 'x = 1' };
    expect(await run(code, files)).toEqual({ status: 'ok', text: '[written: a.txt]' });
  });

  test('stay as they are if it fails or is ended', async () => {
    const failed = await run('open("b.txt", "w").write("b")\n1 / 0', { 'a.txt': 'a' });
    expect([failed.status, failed.tree]).toEqual(['error', undefined]);
    const waiting = 'open("b.txt", "w").write("b")\nprint("begun")\nimport asyncio; await asyncio.sleep(600)';
    const ended = await run(waiting, { 'a.txt': 'a' }, 5);
    expect(ended.tree).toBeUndefined();
    expect(ended).toMatchObject({
      status: 'error',
      text: 'begun\n[it was ended after 5 seconds]\n[no file was changed]',
    });
  });

  test('may be a folder where a file was, and a file where a folder was', async () => {
    const code = [
      'import os',
      'os.remove("a"); os.mkdir("a"); open("a/b", "w").write("1")',
      'os.remove("c/d"); os.rmdir("c"); open("c", "w").write("2")',
    ];
    const result = await run(code.join('\n'), { a: 'x', 'c/d': 'y' });
    expect(await filesOf(result)).toEqual({ 'a/b': '1', c: '2' });
  });

  test('of others can only be read, and the result says so', async () => {
    const mounts = [{ path: 'temp_workspaces/agent1', tree: (await treeOf({ 'idea.md': 'An idea.' })) ?? '' }];
    const code = [
      'import os',
      'print(open("temp_workspaces/agent1/idea.md").read())',
      'os.remove("temp_workspaces/agent1/idea.md")',
      'open("temp_workspaces/agent1/new.md", "w").write("")',
      'open("mine.md", "w").write("mine")',
      'None',
    ];
    const changed = await call(code.join('\n'), { mounts }).result;
    expect(changed.text).toMatch(/^An idea\.\n/);
    expect(changed.text.match(/^\[not kept: .*can only be read/gm)).toHaveLength(2);
    expect(await filesOf(changed)).toEqual({ 'mine.md': 'mine' });
  });

  test('may be links, as long as they stay inside; the result names what is not kept', async () => {
    const code = [
      'import os',
      'os.mkdir("sub"); open("a.txt", "w").write("a")',
      'os.symlink("/workspace/a.txt", "sub/whole"); os.symlink("../a.txt", "sub/relative")',
      'os.symlink("/etc/passwd", "out"); os.symlink("../../etc", "sub/up")',
      'open("line\\nbreak", "w").write("x"); open("back\\\\slash", "w").write("x")',
    ];
    const result = await run(code.join('\n'));
    expect(await filesOf(result)).toEqual({
      'a.txt': 'a',
      'sub/relative (link)': '../a.txt',
      'sub/whole (link)': '../a.txt',
    });
    expect(result.text).toContain('[not kept: out is a link that leads out]');
    expect(result.text).toContain('[not kept: sub/up is a link that leads out]');
    expect(result.text).toContain('"line\\nbreak" is no path of the workspace');
    expect(result.text).toContain('"back\\\\slash" is no path of the workspace');
  });

  test('are left out if they are too large together, except those that the program names', async () => {
    const large = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.bin`, Buffer.alloc(40_000_000, name)]));
    const { text, tree } = await call('import os\nprint(os.path.getsize("c.bin"))\nsorted(os.listdir())', {
      tree: await treeOf(large),
    }).result;
    expect(text).toBe("40000000\n['a.bin', 'c.bin']\n[not in the folder, since Python gets 100,000,000 bytes: b.bin]");
    expect(tree).toBeUndefined();
  });

  test('do not hold up the worker, neither many nor large ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`many/${index}.txt`, `${index}`]));
    const tree = await treeOf({ ...many, 'large.bin': Buffer.alloc(45_000_000, 'x') });
    const code = [
      'import os, pathlib',
      'for path in pathlib.Path("many").iterdir(): path.write_text(path.read_text() + "!")',
      'data = open("large.bin", "rb").read(); open("copy.bin", "wb").write(b"y" + data)',
    ];
    const stall = await stallOf(async () => {
      expect(await call(code.join('\n'), { tree }).result).toMatchObject({ status: 'ok' });
    });
    expect(stall).toBeLessThan(500);
  });
});

describe('packages for run_python', () => {
  test('come from the wheels of a folder, each when it is first imported', async () => {
    const source = mkdtempSync(join(tmpdir(), 'reprise-wheel-'));
    writeFileSync(join(source, 'build.py'), wheelBuilder);
    for (const [name, code] of Object.entries({
      kites: 'import wings\ndef fly(): return wings.count() * "kite "',
      wings: 'def count(): return 2',
    })) {
      execFileSync('python3', [join(source, 'build.py'), wheels, name, code]);
    }
    writeFileSync(join(wheels, 'kites-1.0-cp314-cp314-manylinux_2_28_x86_64.whl'), 'of another system');
    writeFileSync(join(wheels, 'broken-1.0-py3-none-any.whl'), 'no archive');
    rmSync(source, { recursive: true });
    const { text } = await run(
      'import kites, importlib.metadata\nprint(importlib.metadata.version("kites"))\nprint(kites.fly())\nimport numpy',
    );
    expect(text).toMatch(/^1\.0\nkite kite\n/);
    expect(text).toContain("ModuleNotFoundError: No module named 'numpy'");
  });

  test('need a folder that can be read', async () => {
    const other = toolBench({}, { REPRISE_WHEELS: '/nowhere' });
    const tool = { name: 'run_python', source: { package: 'builtin.python' }, workspace: { tree: null, mounts: [] } };
    const { text } = await other.call(tool, { code: '1' }).result;
    expect(text).toBe('REPRISE_WHEELS: /nowhere cannot be read (ENOENT)');
    await other.close();
  });
});

const wheelBuilder = `
import sys, zipfile
folder, name, code = sys.argv[1:]
with zipfile.ZipFile(f"{folder}/{name}-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}/__init__.py", code)
    wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
`;
