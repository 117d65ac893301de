import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import type { WorkspaceInput } from '../../../src/protocol/workspace.ts';
import { hashOf } from '../../../src/util/ids.ts';
import { workspaceTools } from '../../../src/tools/workspaces/tools.ts';
import { keepFile } from '../../../src/tools/attachments/run-files.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { pdfOf } from '../../support/files.ts';
import { docxOf } from '../../support/office.ts';
import { toolBench } from '../../support/tool-bench.ts';
import { zipOf } from '../../support/zip.ts';

const bench = toolBench({
  'tools/sample.ts': `
    export const tools = [
      {
        name: 'write_and_fail', description: 'Writes, then fails.', parameters: { type: 'object' }, workspace: 'writes',
        async execute(args, { workspace }) { await workspace.write('half.txt', 'half'); throw new Error('broken'); },
      },
      {
        name: 'count_files', description: 'Counts.', parameters: { type: 'object' }, workspace: 'reads',
        execute: (args, { workspace }) => workspace.files().length,
      },
    ];`,
});
afterAll(() => bench.close());

const trees = new Trees(bench.store);

async function treeOf(files: Record<string, string>): Promise<string | null> {
  const entries = await Promise.all(
    Object.entries(files).map(async ([path, text]) => {
      const [id = ''] = await bench.store.putObjects([Buffer.from(text)]);
      return [path, { id, bytes: Buffer.byteLength(text), mode: 'file' as const }] as const;
    }),
  );
  return trees.write(new Map(entries));
}

async function textsOf(tree: string | null | undefined): Promise<Record<string, string>> {
  const files = await trees.read(tree ?? null);
  const read = [...files].map(async ([path, { id }]) => [path, Buffer.from(await bench.store.object(id)).toString()]);
  return Object.fromEntries((await Promise.all(read)) as Array<[string, string]>);
}

let workspace: WorkspaceInput;
const source = { package: 'builtin.workspace' };
const call = (name: string, args: object = {}, from = source) =>
  bench.call({ name, source: from, workspace }, args).result;

beforeEach(async () => {
  const other = await treeOf({ 'idea.md': 'An idea.' });
  workspace = {
    tree: await treeOf({ 'src/app.ts': 'one\ntwo\nthree\ntwo\n', 'README.md': '# App\n' }),
    mounts: [{ path: 'temp_workspaces/agent1', tree: other ?? '' }],
  };
});

describe('the tools of a workspace', () => {
  test('list the files, with those of others as read-only', async () => {
    expect((await call('list_files')).text).toBe(
      'README.md (6 bytes)\nsrc/app.ts (18 bytes)\ntemp_workspaces/agent1/idea.md (8 bytes, read-only)',
    );
    expect((await call('list_files', { folder: './src/' })).text).toBe('src/app.ts (18 bytes)');
  });

  test('read a file, or some of its lines', async () => {
    expect((await call('view_file', { path: 'src/app.ts', offset: 2, limit: 2 })).text).toBe(
      'two\nthree\n[lines 2 to 3 of 5]',
    );
    expect((await call('view_file', { path: 'temp_workspaces/agent1/idea.md' })).text).toBe('An idea.');
  });

  test('read a long file in few large pieces, each saying where it goes on', async () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at + 1} of a long report`);
    workspace.tree = await treeOf({ 'long.txt': lines.join('\n') });
    const read: string[] = [];
    for (let offset = 1, calls = 0; offset !== 0; calls++) {
      expect(calls).toBeLessThan(5);
      const { blob = '' } = await call('view_file', { path: 'long.txt', offset });
      const text = await bench.store.blob(blob);
      expect(text).not.toContain('left out');
      read.push(...text.split('\n').filter((line) => !line.startsWith('[')));
      offset = Number(/goes on with offset (\d+)/.exec(text)?.[1] ?? 0);
    }
    expect(read).toEqual(lines);
  });

  test('write, edit, move and delete, each ending in a tree of its own', async () => {
    const written = await call('write_file', { path: 'docs/new.md', content: 'Neu é\n' });
    expect(written).toEqual({ status: 'ok', text: 'docs/new.md is written, 7 bytes.', tree: expect.any(String) });
    workspace.tree = written.tree ?? null;
    const edited = await call('edit_file', { path: 'src/app.ts', old_text: 'two\nthree', new_text: '2\n3' });
    workspace.tree = edited.tree ?? null;
    const moved = await call('move_file', { from: 'README.md', to: 'docs/README.md' });
    workspace.tree = moved.tree ?? null;
    expect(await textsOf(workspace.tree)).toEqual({
      'docs/README.md': '# App\n',
      'docs/new.md': 'Neu é\n',
      'src/app.ts': 'one\n2\n3\ntwo\n',
    });
    const deleted = await call('delete_file', { path: 'docs' });
    expect(await textsOf(deleted.tree)).toEqual({ 'src/app.ts': 'one\n2\n3\ntwo\n' });
  });

  test('leave the tree as it is where nothing changes', async () => {
    expect(await call('write_file', { path: 'README.md', content: '# App\n' })).not.toHaveProperty('tree');
    expect(await call('view_file', { path: 'README.md' })).not.toHaveProperty('tree');
  });

  test('say that the last file is gone', async () => {
    workspace = { tree: await treeOf({ 'one.txt': '1' }), mounts: [] };
    expect(await call('delete_file', { path: 'one.txt' })).toMatchObject({ status: 'ok', tree: null });
    workspace.tree = null;
    expect((await call('list_files')).text).toBe('The workspace has no files yet.');
  });

  test('replace every occurrence only when asked to', async () => {
    const edit = { path: 'src/app.ts', old_text: 'two', new_text: '2' };
    expect(await call('edit_file', edit)).toMatchObject({ status: 'error', text: expect.stringMatching(/2 times/) });
    const { text, tree } = await call('edit_file', { ...edit, replace_all: true });
    expect(text).toBe('src/app.ts is changed in 2 places.');
    expect((await textsOf(tree))['src/app.ts']).toBe('one\n2\nthree\n2\n');
  });

  test('keep the line ends of a file, whichever the model writes', async () => {
    workspace.tree = await treeOf({ 'a.cs': 'one\r\ntwo\r\nthree\r\n', 'mixed.txt': 'one\ntwo\r\nthree\n' });
    const first = await call('edit_file', { path: 'a.cs', old_text: 'one\ntwo', new_text: 'eins\nzwei\nmehr' });
    workspace.tree = first.tree ?? null;
    const second = await call('edit_file', { path: 'a.cs', old_text: 'three', new_text: '3\n4' });
    workspace.tree = second.tree ?? null;
    const third = await call('edit_file', { path: 'mixed.txt', old_text: 'two\nthree', new_text: '2\n3' });
    expect(await textsOf(third.tree)).toEqual({
      'a.cs': 'eins\r\nzwei\r\nmehr\r\n3\r\n4\r\n',
      'mixed.txt': 'one\n2\n3\n',
    });
  });

  test('make several edits at once: all of them, each after the one before it, or none', async () => {
    const edits = [
      { old_text: 'one', new_text: 'two' },
      { old_text: 'two', new_text: '2', replace_all: true },
      { old_text: 'three', new_text: '3' },
    ];
    const { text, tree } = await call('edit_file', { path: 'src/app.ts', edits });
    expect(text).toBe('src/app.ts is changed in 5 places.');
    expect((await textsOf(tree))['src/app.ts']).toBe('2\n2\n3\n2\n');
    const missed = { path: 'src/app.ts', edits: [...edits, { old_text: 'four', new_text: '4' }] };
    expect(await call('edit_file', missed)).toEqual({
      status: 'error',
      text: expect.stringMatching(/does not hold the old_text of edit 4, .*; none of the edits was made/),
    });
    expect((await call('edit_file', { path: 'README.md' })).text).toMatch(/give old_text and new_text/);
  });

  test('show what is nearest to a text that is not there', async () => {
    const code = ['def total(rows):', '\tsum = 0', '\tfor row in rows:', '\t\tsum += row.price', '\treturn sum', ''];
    workspace.tree = await treeOf({ 'a.py': ['# x', '', ...code].join('\n') });
    const miss = async (old_text: string) => (await call('edit_file', { path: 'a.py', old_text, new_text: '' })).text;
    expect(await miss('    for row in rows:\n        sum += row.price')).toMatch(
      /There is, with other spaces, in lines 5 to 6:\n\tfor row in rows:\n\t\tsum \+= row\.price$/,
    );
    expect(await miss('sum += row.cost')).toMatch(/There is, nearest, in line 6:\n\t\tsum \+= row\.price$/);
    expect(await miss('nothing like it')).toMatch(/view_file and search_files show what is there$/);
  });

  test('keep what stands for something else in a pattern of replacement', async () => {
    const { tree } = await call('edit_file', { path: 'README.md', old_text: 'App', new_text: '$& $1 $$' });
    expect((await textsOf(tree))['README.md']).toBe('# $& $1 $$\n');
  });

  test('show of a long line the parts that hold the text', async () => {
    const line = `{"a":"${'é'.repeat(5000)} Oslo ${'ü'.repeat(150)} Oslo ${'x'.repeat(900)}Oslo"}`;
    const { tree } = await call('write_file', { path: 'data.json', content: line });
    workspace.tree = tree ?? null;
    const { text } = await call('search_files', { text: 'oslo', folder: '.' });
    const [first, second, ...more] = text.split('\n');
    expect(more).toEqual([]);
    expect(first).toMatch(/^data\.json:1: character 4908: …é{99} Oslo ü{150} Oslo x+…$/);
    expect(second).toMatch(/^data\.json:1: character \d+: …x{100}Oslo"\}$/);
  });

  test('find lines by a text, which is no pattern', async () => {
    expect((await call('search_files', { text: 'TWO' })).text).toBe('src/app.ts:2: two\nsrc/app.ts:4: two');
    expect((await call('search_files', { text: '.*' })).text).toBe('Nothing was found.');
    expect((await call('search_files', { text: 'idea', folder: 'temp_workspaces' })).text).toBe(
      'temp_workspaces/agent1/idea.md:1: An idea.',
    );
  });

  test('find lines in texts that are too large to be viewed', async () => {
    workspace.tree = await treeOf({ 'a.log': `${'All is well.\n'.repeat(400_000)}The mast is lost.\n` });
    expect((await call('search_files', { text: 'mast' })).text).toBe('a.log:400001: The mast is lost.');
  });

  test.each([
    ['view_file', { path: '../secret' }, /is no path of the workspace/],
    ['view_file', { path: '/etc/passwd' }, /is no path of the workspace/],
    ['view_file', { path: 'absent.md' }, /^there is no file absent\.md; list_files/],
    ['view_file', { path: 'src' }, /^there is no file src/],
    ['view_file', { path: 'README.md', offset: 9 }, /has 2 lines; there is no line 9/],
    ['write_file', { path: 'src', content: '' }, /^src is a folder$/],
    ['write_file', { path: 'README.md/x', content: '' }, /^README\.md is a file/],
    ['write_file', { path: 'a\nb', content: '' }, /is no path of the workspace/],
    ['write_file', { path: 'temp_workspaces/agent1/idea.md', content: '' }, /can only be read/],
    ['write_file', { path: 'temp_workspaces/agent2/mine.md', content: '' }, /can only be read/],
    ['delete_file', { path: 'temp_workspaces' }, /can only be read/],
    ['delete_file', { path: 'absent' }, /^there is no file absent/],
    ['delete_file', { path: '.' }, /is no path of the workspace/],
    ['move_file', { from: 'README.md', to: '../out' }, /is no path of the workspace/],
    ['move_file', { from: 'README.md', to: 'src' }, /^src is a folder$/],
    ['edit_file', { path: 'README.md', old_text: 'b', new_text: '' }, /does not hold old_text/],
  ])('refuse %s %j, and change nothing', async (name, args, message) => {
    expect(await call(name, args)).toEqual({ status: 'error', text: expect.stringMatching(message) });
  });

  test('refuse what is no text', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0]);
    const [id = ''] = await bench.store.putObjects([bytes]);
    workspace.tree = await trees.write(new Map([['picture.png', { id, bytes: 3, mode: 'file' as const }]]));
    expect(await call('view_file', { path: 'picture.png' })).toEqual({
      status: 'error',
      text: 'picture.png is not a text in UTF-8, and nothing in it can be read as one',
    });
    expect((await call('search_files', { text: 'x' })).text).toBe(
      'Nothing was found.\n[not searched, since they cannot be read as text: picture.png]',
    );
  });

  test.each([
    ['a link to a file beside it', 'src/link', 'app.ts', /^one/],
    ['a link into another folder', 'src/link', '../README.md', /^# App/],
    ['a link that leads out', 'src/link', '../../etc/passwd', /leads out of the workspace/],
    ['an absolute one', 'link', '/etc/passwd', /leads out of the workspace/],
    ['one to itself', 'link', 'link', /a link to a link/],
    ['one to a folder', 'link', 'src', /there is no file link/],
  ])('follow %s within the workspace only', async (_, path, target, message) => {
    const files = await trees.read(workspace.tree);
    const [id = ''] = await bench.store.putObjects([Buffer.from(target)]);
    files.set(path, { id, bytes: target.length, mode: 'link' });
    workspace.tree = await trees.write(files);
    expect((await call('view_file', { path })).text).toMatch(message);
  });

  test('are all harmless to what is outside: those that change nothing say so', () => {
    const tools = workspaceTools(() => Promise.resolve([]));
    const reading = tools.filter(({ sideEffects }) => sideEffects === false).map(({ name }) => name);
    expect(reading).toEqual(['list_files', 'view_file', 'search_files']);
    expect(tools.every(({ workspace: use }) => use !== undefined)).toBe(true);
  });
});

describe('a tool of the user with a workspace', () => {
  const own = { package: 'tools.sample' };

  test('gets the files that it asks for', async () => {
    expect(await call('count_files', {}, own)).toEqual({ status: 'ok', text: '3' });
  });

  test('that fails has changed nothing, so that a retry starts from the same tree', async () => {
    expect(await call('write_and_fail', {}, own)).toEqual({ status: 'exception', text: 'broken' });
  });

  test('has none where its agent has none', async () => {
    const { text } = await bench.call({ name: 'count_files' }).result;
    expect(text).toBe('count_files needs files, and there are none here');
  });
});

test('a retry of a call that ended gets the tree of its journal, and does not run again', async () => {
  const tool = { name: 'write_file', source, workspace };
  const info = { activityId: 'one-call' };
  const first = await bench.call(tool, { path: 'new.md', content: 'new' }, info).result;
  const again = await bench.call(tool, { path: 'new.md', content: 'new' }, { ...info, attempt: 2 }).result;
  expect(again).toEqual(first);
  expect((await textsOf(first.tree))['new.md']).toBe('new');
  expect(hashOf('new')).toBe((await trees.read(first.tree ?? null)).get('new.md')?.id);
});

describe('files that are no plain texts', () => {
  const callIn = (name: string, args: object) =>
    bench.call({ name, source, workspace }, args, { workflowExecution: { workflowId: 'run', runId: 'r' } }).result;

  test('are searched and shown as texts: PDFs, office documents, and what is in archives', async () => {
    const letter = docxOf('<w:p><w:r><w:t>The mast is lost.</w:t></w:r></w:p>');
    const scan = Buffer.from(
      pdfOf(['', 'No sail.']).toString('latin1').replace('/Type /Catalog', '/Type /Catalog /X << /Subtype /Image >>'),
      'latin1',
    );
    const files = {
      'own/paper.pdf': pdfOf(['First.', 'A mast of oak.']),
      'own/letters.zip': zipOf({ 'june.docx': letter, '../lost.txt': 'mast' }),
      'own/scan.pdf': scan,
    };
    const entries = Object.entries(files).map(async ([path, bytes]) => {
      const [id = ''] = await bench.store.putObjects([bytes]);
      return [path, { id, bytes: bytes.length, mode: 'file' as const }] as const;
    });
    workspace.tree = await trees.write(new Map(await Promise.all(entries)));
    expect((await callIn('search_files', { text: 'MAST' })).text).toBe(
      'own/letters.zip/june.docx:1: The mast is lost.\nown/paper.pdf:5: [page 2] A mast of oak.\n' +
        '[own/letters.zip: of its 2 files 1 were left out: ../lost.txt (its path leads out of the archive, or cannot be used)]\n' +
        '[own/scan.pdf: pages that are pictures, and not read as text: 1; view_image shows them by page]',
    );
    expect((await callIn('view_file', { path: 'own/paper.pdf' })).text).toMatch(/^\[page 1\]\nFirst\./);
  });

  test('an attached archive is the folder of its files', async () => {
    const bytes = zipOf({ 'a.txt': 'The mast.', 'inner.zip': zipOf({ 'b.txt': 'No sail.' }) });
    const found = await recognise('papers.zip', bytes);
    if (typeof found === 'string') throw new Error(found);
    await keepFile(bench.store, 'run', { name: 'papers.zip', bytes, found, from: 'attachment' });
    workspace = { tree: null, mounts: [] };
    expect((await callIn('list_files', {})).text).toBe(
      'attachments/papers.zip/a.txt (9 bytes, read-only)\nattachments/papers.zip/inner.zip/b.txt (8 bytes, read-only)',
    );
    expect((await callIn('view_file', { path: 'papers.zip/a.txt' })).text).toBe('The mast.');
  });
});
