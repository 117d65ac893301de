import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readKeys, type Keys } from '../../src/encryption/keys.ts';
import { Blobs, checkStoreKeys } from '../../src/store/open-store.ts';
import { cipherOf } from '../../src/encryption/cipher.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { reportOf } from '../support/reports.ts';
import { storeContract } from './contract.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'reprise-sealed-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const newKey = (): string => randomBytes(32).toString('base64');
const keysOf = (...keys: string[]): Keys => readKeys({ REPRISE_ENCRYPTION_KEY: keys.join(',') });
const opened = (keys: Keys) => openSqliteStore(join(home, 'store.sqlite'), cipherOf(keys));

storeContract('a sealed SQLite store', async () =>
  openSqliteStore(join(mkdtempSync(join(tmpdir(), 'reprise-sealed-')), 'store.sqlite'), cipherOf(keysOf(newKey()))),
);

const canary = 'Canary-content';
const messages = [{ role: 'user' as const, content: canary }];

/** Fills every table that has content. */
async function fill(store: ReturnType<typeof opened>) {
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  const reply = { content: canary, calls: [], finish: 'stop' as const };
  const { transcript } = await store.commitReply({
    key: 'r/model-1',
    inputHash: 'h',
    parent: null,
    messages,
    result: { reply, usage },
  });
  await store.commitToolResult('r/tool-1', 'h', { status: 'ok', text: canary });
  await store.liveTexts.write([{ key: 'r/model-2', attempt: 1, offset: 0, text: canary, workflowId: 'w' }], []);
  const blob = await store.putBlob(canary);
  const [object = ''] = await store.putObjects([Buffer.from(canary)]);
  await store.putReport(reportOf({ id: 'one', idea: canary }));
  const file = {
    name: 'a.txt',
    kind: 'text',
    mediaType: 'text/plain',
    bytes: 1,
    content: object,
    note: canary,
    from: 'tool',
  };
  await store.putFile('w', file as never);
  return { segment: transcript.id, blob, object };
}

/** All bytes of a store's files, those that are not yet in its main file included. */
const bytesOf = (): string =>
  readdirSync(home)
    .map((name) => readFileSync(join(home, name), 'latin1'))
    .join('\n');

test('nothing that is said is in the files of a sealed store, and whoever has the key reads all of it', async () => {
  const key = newKey();
  const keys = keysOf(key);
  const store = opened(keys);
  const { blob, object, segment } = await fill(store);
  expect(bytesOf()).not.toContain(canary);
  expect(await store.messages(segment)).toEqual(messages);
  expect(await store.blob(blob)).toBe(canary);
  expect(Buffer.from(await store.object(object)).toString()).toBe(canary);
  expect(await store.findToolResult('r/tool-1', 'h')).toMatchObject({ text: canary });
  expect(await store.file('w', 'a.txt')).toMatchObject({ note: canary });
  expect(await store.reports(5)).toMatchObject([{ idea: canary }]);
  expect(await store.liveTexts.read('r/model-2', 0, 0)).toMatchObject([{ text: canary }]);
  const blobs = new Blobs(home, { REPRISE_ENCRYPTION_KEY: key });
  expect(await blobs.read(blob)).toBe(canary);
  await blobs.close();
  await store.close();
});

test('after a change of keys the old rows are read, and new ones need the new key alone', async () => {
  const [old, next] = [newKey(), newKey()];
  const before = opened(keysOf(old));
  const { blob } = await fill(before);
  await before.close();
  const after = opened(keysOf(next, old));
  expect(await after.blob(blob)).toBe(canary);
  const second = await after.putBlob('another');
  await after.close();
  const late = opened(keysOf(next));
  expect(await late.blob(second)).toBe('another');
  await expect(late.blob(blob)).rejects.toThrow(`needs the encryption key ${keysOf(old).ids[0]}`);
  expect(await late.reports(5)).toEqual([]);
  await late.close();
});

test('a store from before is read on, and its content stays as it was', async () => {
  const before = opened(keysOf());
  const { blob, segment } = await fill(before);
  await before.close();
  const after = opened(keysOf(newKey()));
  expect(await after.blob(blob)).toBe(canary);
  expect(await after.messages(segment)).toEqual(messages);
  await after.close();
});

test('a sealed row is opened in its own place alone', async () => {
  const store = opened(keysOf(newKey()));
  const [one, other] = [await store.putBlob('one'), await store.putBlob('other')];
  const database = new DatabaseSync(join(home, 'store.sqlite'));
  database.prepare('UPDATE blobs SET content = (SELECT content FROM blobs WHERE id = ?) WHERE id = ?').run(one, other);
  database.close();
  expect(await store.blob(one)).toBe('one');
  await expect(store.blob(other)).rejects.toThrow('was changed or moved');
  await store.close();
});

test('a worker is told of keys that its store needs, and one without any key is refused', async () => {
  const [old, next] = [newKey(), newKey()];
  const store = opened(keysOf(old));
  expect(await checkStoreKeys(store, keysOf())).toBeUndefined();
  expect(await checkStoreKeys(store, keysOf(old))).toBeUndefined();
  expect(await checkStoreKeys(store, keysOf(next, old))).toBeUndefined();
  const id = String(keysOf(old).ids[0]);
  expect(await checkStoreKeys(store, keysOf(next))).toContain(`encrypted with ${id}`);
  await expect(checkStoreKeys(store, keysOf())).rejects.toThrow(id);
  await store.close();
});
