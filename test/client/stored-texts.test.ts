import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoredTexts } from '../../src/client/stored-texts.ts';
import { openStore } from '../../src/store/open-store.ts';

const home = (): string => mkdtempSync(join(tmpdir(), 'reprise-texts-'));
const encryption = { REPRISE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };
const otherEncryption = { REPRISE_ENCRYPTION_KEY: Buffer.alloc(32, 2).toString('base64') };

async function withText(variables: NodeJS.ProcessEnv): Promise<string> {
  const folder = home();
  const store = openStore(folder, variables);
  await store.liveTexts.write([{ key: 'r/1', attempt: 1, offset: 0, text: 'One', workflowId: 'w' }], []);
  await store.close();
  return folder;
}

async function read(folder: string | undefined, variables: NodeJS.ProcessEnv): Promise<string[]> {
  const texts = new StoredTexts({ variables, ...(folder !== undefined && { home: folder }) });
  try {
    return (await texts.read('r/1', 0, 0)).map(({ text }) => text);
  } finally {
    await texts.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

test('texts are read from the store of a home, encrypted or not', async () => {
  expect(await read(await withText({}), {})).toEqual(['One']);
  expect(await read(await withText(encryption), encryption)).toEqual(['One']);
});

test('of a store that is not there, is none, or has another key, there are no texts, and nothing fails', async () => {
  const broken = home();
  writeFileSync(join(broken, 'store.sqlite'), 'No database.');
  expect(await read(undefined, {})).toEqual([]);
  expect(await read(home(), {})).toEqual([]);
  expect(await read(broken, {})).toEqual([]);
  expect(await read(await withText(encryption), otherEncryption)).toEqual([]);
});

test('a database that never answers is not waited for', async () => {
  const server = createServer(() => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const texts = new StoredTexts({ home: '.', variables: { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/d` } });
  expect(await texts.read('r/1', 0, 0)).toEqual([]);
  server.close();
});
