import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createStoreAttachments } from '../../src/activities/files.ts';
import type { Attachment, AttachmentInput } from '../../src/protocol/attachment.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { StoredWorkspace } from '../../src/tools/workspaces/workspace.ts';
import { activityBench } from '../support/activity-bench.ts';
import { folderOf } from '../support/extensions.ts';
import { pdfOf, pixel } from '../support/files.ts';
import { zipOf } from '../support/zip.ts';

const bench = activityBench();
const table = 'city,people\nOslo,717710\nBergen,291940\n';
const folder = folderOf({ 'cities.csv': table, 'long.md': 'A long text. '.repeat(100) });
writeFileSync(join(folder, 'photo.png'), pixel);
writeFileSync(join(folder, 'scan.pdf'), pdfOf(['']));
const storeAttachments = createStoreAttachments({ store: bench.store, configFolder: folder });
afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

let run = 0;
beforeEach(() => {
  run += 1;
});
const attach = (attachments: AttachmentInput[], runId = `run-${run}`): Promise<Attachment[]> =>
  bench.run(storeAttachments, { attachments }, runId);
const textOf = async (name: string): Promise<string> => {
  const { text = 'none' } = (await bench.store.file('w', name)) ?? {};
  return bench.store.blob(text);
};

test('workflows get name, kind, size and a preview, and the store has the content', async () => {
  const [cities] = await attach(['cities.csv']);
  expect(cities).toEqual({
    name: 'cities.csv',
    kind: 'table',
    mediaType: 'text/csv',
    bytes: 38,
    preview: 'Columns: city, people\n2 rows:\nOslo | 717710\nBergen | 291940',
  });
  expect(await textOf('cities.csv')).toBe(table);
});

test('a preview over 400 characters is named by its blob', async () => {
  const [long] = await attach([{ path: 'long.md', name: 'Notes' }]);
  expect(long?.preview).toEqual({ blob: expect.any(String) });
  const { blob } = (long as { preview: { blob: string } }).preview;
  expect(await bench.store.blob(blob)).toMatch(/^A long text\. .*…$/);
});

test('an image is named by its blob, which holds it in base64', async () => {
  const [photo] = await attach([join(folder, 'photo.png')]);
  expect(photo).toMatchObject({ kind: 'image', preview: '', image: { mediaType: 'image/png' } });
  expect(await bench.store.blob(photo?.image?.blob ?? '')).toBe(pixel.toString('base64'));
});

test('what cannot be read comes with a note', async () => {
  const [scan] = await attach(['scan.pdf']);
  expect(scan).toMatchObject({ kind: 'pdf', preview: '', note: expect.stringContaining('no text') });
});

test('files come in order and under names of their own', async () => {
  const data = Buffer.from('x').toString('base64');
  const attached = await attach(['cities.csv', { name: 'cities.csv', data }, 'photo.png']);
  const names = ['cities.csv', 'cities-2.csv', 'photo.png'];
  expect(attached.map(({ name }) => name)).toEqual(names);
  expect((await bench.store.files('w')).map(({ name }) => name)).toEqual(names);
});

test('the store has the bytes of every file as an object', async () => {
  await attach(['photo.png', 'scan.pdf', 'cities.csv']);
  for (const { bytes, content, name } of await bench.store.files('w')) {
    const object = Buffer.from(await bench.store.object(content ?? ''));
    expect([name, object.length]).toEqual([name, bytes]);
    expect(object).toEqual(readFileSync(join(folder, name)));
  }
});

test('an agent finds the files in its workspace, byte for byte', async () => {
  await attach(['photo.png', { name: 'a.zip', data: zipOf({ 'b.txt': 'b' }).toString('base64') }]);
  const given = { tree: null, mounts: [] };
  const workspace = await StoredWorkspace.open(bench.store, new Trees(bench.store), given, 'w');
  expect(workspace.files().map(({ path }) => path)).toEqual(['attachments/a.zip/b.txt', 'attachments/photo.png']);
  expect(Buffer.from(await workspace.read('attachments/photo.png'))).toEqual(pixel);
});

describe('the files of an archive', () => {
  const zipped = (name: string, count: number): AttachmentInput => {
    const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.txt`, `Text ${index}`]));
    return { name, data: zipOf(files).toString('base64') };
  };

  test('come behind it, and a retry returns the same', async () => {
    const names = ['a.zip', 'a.zip/0.txt', 'a.zip/1.txt', 'cities.csv'];
    const first = await attach([zipped('a.zip', 2), 'cities.csv']);
    expect(first.map(({ name }) => name)).toEqual(names);
    expect(first[0]).toMatchObject({ kind: 'archive', preview: '0.txt (6 bytes)\n1.txt (6 bytes)' });
    expect(await attach([zipped('a.zip', 2), 'cities.csv'])).toEqual(first);
  });

  test('are in the store alone where they would be too many', async () => {
    const attached = await attach([zipped('large.zip', 30), zipped('small.zip', 2)]);
    expect(attached.map(({ name }) => name)).toEqual(['large.zip', 'small.zip', 'small.zip/0.txt', 'small.zip/1.txt']);
    expect(await textOf('large.zip/29.txt')).toBe('Text 29');
  });
});

test('a retry returns the same, even where a file has changed or is gone since', async () => {
  const place = join(folder, 'fleeting.csv');
  writeFileSync(place, table);
  const first = await attach(['fleeting.csv', 'cities.csv']);
  writeFileSync(place, 'changed');
  expect(await attach(['fleeting.csv', 'cities.csv'])).toEqual(first);
  rmSync(place);
  expect(await attach(['fleeting.csv', 'cities.csv'])).toEqual(first);
  expect(await textOf('fleeting.csv')).toBe(table);
});

test('another run under the same workflow id begins anew', async () => {
  await attach(['cities.csv', 'photo.png']);
  const data = Buffer.from('other').toString('base64');
  await attach([{ name: 'cities.csv', data }], `run-${run}-again`);
  expect(await bench.store.files('w')).toHaveLength(1);
  expect(await textOf('cities.csv')).toBe('other');
});

test('a content is stored once, whatever the number of runs and names', async () => {
  const blobs = (): number => {
    const database = new DatabaseSync(bench.file, { readOnly: true });
    const row = database.prepare('SELECT count(*) AS count FROM blobs').get();
    database.close();
    return Number(row?.['count']);
  };
  await attach(['cities.csv', 'photo.png']);
  const before = blobs();
  await attach(['cities.csv', { path: 'cities.csv', name: 'towns.csv' }, 'photo.png'], `run-${run}-again`);
  expect(blobs()).toBe(before);
});

describe('a run is not begun', () => {
  test('with files that cannot be taken: each is named with what is wrong', async () => {
    await expect(attach(['none.csv', 'cities.csv', folder, { name: 'x', data: '!' }])).rejects.toMatchObject({
      type: 'InvalidInput',
      nonRetryable: true,
      message: [
        `none.csv: there is no file ${join(folder, 'none.csv')}`,
        `${folder}: is a folder; attach the files in it one by one`,
        'x: its data is not base64',
      ].join('\n'),
    });
  });

  test('with more than twenty', async () => {
    await expect(attach(Array.from({ length: 21 }, () => 'cities.csv'))).rejects.toMatchObject({
      type: 'InvalidInput',
      message: '21 files are attached; a run takes at most 20',
    });
  });
});
