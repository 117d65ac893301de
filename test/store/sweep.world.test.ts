import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol/message.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import type { SqlStore } from '../../src/store/sql-store.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Cipher } from '../../src/encryption/cipher.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-sweep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.sqlite`);

const usage = { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 };
/** Rows that are written now are old already. */
const later = (): number => Math.floor(Date.now() / 1000) + 10;

/** Turns every bit around, so that whoever does not open it reads nothing. */
const turned = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);
const sealing: Cipher = {
  sealText: (text) => Buffer.from(turned(Buffer.from(text))).toString('base64'),
  openText: (stored) => Buffer.from(turned(Buffer.from(stored, 'base64'))).toString(),
  sealBytes: turned,
  openBytes: turned,
};

/** What one made-up run has stored, and what its history names of it. */
interface MadeUp {
  runId: string;
  workflowId: string;
  ids: string[];
  blobs: string[];
  segments: string[];
  tree: string | null;
}

/** Has a run fork from another one's conversation, or begin its own, and store what runs store. */
async function makeUp(store: SqlStore, number: number, parent: MadeUp | undefined, calls: number): Promise<MadeUp> {
  const [runId, workflowId] = [`run-${number}`, `workflow-${number}`];
  const blobs: string[] = [];
  const segments: string[] = [];
  let transcript = parent?.segments[number % parent.segments.length] ?? null;
  for (let call = 0; call < calls; call++) {
    const image = await store.putBlob(`image ${number} ${call}`);
    blobs.push(image);
    const messages: Message[] = [
      { role: 'user', content: `question ${number} ${call}`, images: [{ blob: image, mediaType: 'image/png' }] },
      { role: 'assistant', content: 'answer' },
    ];
    const key = `${runId}/${call}`;
    const result = { reply: { content: 'answer', calls: [], finish: 'stop' as const }, usage };
    const reply = await store.commitReply({ key, inputHash: 'h', parent: transcript, messages, result });
    transcript = reply.transcript.id;
    segments.push(transcript);
    const blob = await store.putBlob(`tool result ${number} ${call}`);
    await store.commitToolResult(`${runId}/t${call}`, 'h', { status: 'ok', text: '…', blob });
    await store.putResult(workflowId, 'a', blob);
    blobs.push(blob);
  }
  const [content = ''] = await store.putObjects([Buffer.from(`file ${number % 3}`)]);
  const tree = await new Trees(store).write(
    new Map([
      [`docs/${number}.txt`, { id: content, bytes: 6, mode: 'file' as const }],
      ['same.txt', { id: content, bytes: 6, mode: 'file' as const }],
    ]),
  );
  await store.beginFiles(workflowId, runId);
  const text = await store.putBlob(`text ${number}`);
  blobs.push(text);
  const file = { name: 'a.txt', kind: 'text' as const, mediaType: 'text/plain', bytes: 1, text, content };
  await store.putFile(workflowId, { ...file, from: 'attachment' });
  return {
    runId,
    workflowId,
    ids: [...(transcript === null ? [] : [transcript]), ...(tree === null ? [] : [tree])],
    blobs,
    segments,
    tree,
  };
}

async function isWhole(store: SqlStore, { blobs, runId, segments, tree, workflowId }: MadeUp): Promise<void> {
  for (const blob of blobs) await store.blob(blob);
  for (const segment of segments) await store.messages(segment);
  for (const { id } of (await new Trees(store).read(tree)).values()) await store.object(id);
  for (const [call] of segments.entries()) expect(await store.findReply(`${runId}/${call}`, 'h')).toBeDefined();
  expect(await store.files(workflowId)).toHaveLength(1);
}

const neededBy = (runs: MadeUp[]) => ({
  runIds: new Set(runs.map(({ runId }) => runId)),
  workflowIds: new Set(runs.map(({ workflowId }) => workflowId)),
  ids: new Set(runs.flatMap(({ ids }) => ids)),
});

const plans = fc.array(fc.record({ forks: fc.nat(5), calls: fc.integer({ min: 1, max: 4 }), kept: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
});

function sweepContract(name: string, open: () => SqlStore | Promise<SqlStore>, runs: number): void {
  test(
    `${name}: of random runs and forks, all that kept ones need stays, and nothing else`,
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const store = await open();
          try {
            const made: MadeUp[] = [];
            for (const [index, { calls, forks }] of plan.entries())
              made.push(await makeUp(store, index, forks === 0 ? undefined : made[index - forks], calls));
            const kept = made.filter((_, index) => plan[index]?.kept);
            const needed = neededBy(kept);
            const before = later();
            const marked = await store.sweep.mark(needed, before);
            const dry = await store.sweep.remove(needed, marked, before, true);
            for (const each of made) await isWhole(store, each);
            const swept = await store.sweep.remove(needed, marked, before, false);
            expect(swept).toEqual(dry);
            for (const each of kept) await isWhole(store, each);
            const left = await store.sweep.remove(needed, await store.sweep.mark(needed, before), before, true);
            expect([...left.values()].every(({ removed }) => removed === 0)).toBe(true);
            for (const gone of made.filter((each) => !kept.includes(each))) {
              expect(await store.findReply(`${gone.runId}/0`, 'h')).toBeUndefined();
              expect(await store.files(gone.workflowId)).toEqual([]);
            }
            if (kept.length === 0) for (const { rows, removed } of swept.values()) expect(removed).toBe(rows);
          } finally {
            await store.close();
          }
        }),
        { numRuns: runs },
      );
    },
  );

  test(`${name}: what was written, or stored once more, since the limit stays with all that it refers to`, async () => {
    const store = await open();
    const old = await makeUp(store, 1, undefined, 2);
    const none = { runIds: new Set<string>(), workflowIds: new Set<string>(), ids: new Set<string>() };
    const now = Math.floor(Date.now() / 1000);
    const marked = await store.sweep.mark(none, now - 3600);
    await store.sweep.remove(none, marked, now - 3600, false);
    await isWhole(store, old);
    await store.close();
  });
}

describe('SQLite', () => {
  sweepContract('plain', () => openSqliteStore(newFile()), 12);
  sweepContract('sealed', () => openSqliteStore(newFile(), sealing), 6);

  test('the file becomes smaller', async () => {
    const file = newFile();
    const store = openSqliteStore(file);
    for (let index = 0; index < 40; index++) await store.putBlob(`${index}${'x'.repeat(100_000)}`);
    const none = { runIds: new Set<string>(), workflowIds: new Set<string>(), ids: new Set<string>() };
    await store.sweep.remove(none, new Set(), later(), false);
    const { bytes } = await store.sweep.size();
    expect(await store.sweep.shrink()).toBe(true);
    expect((await store.sweep.size()).bytes).toBeLessThan(bytes / 10);
    await store.close();
    expect(statSync(file).size).toBeLessThan(400_000);
  });

  test('a blob that is stored once more while it is swept stays', async () => {
    const file = newFile();
    const store = openSqliteStore(file);
    const id = await store.putBlob('once more');
    const none = { runIds: new Set<string>(), workflowIds: new Set<string>(), ids: new Set<string>() };
    const now = Math.floor(Date.now() / 1000);
    // It was written two hours ago, as far as the store knows.
    const database = new DatabaseSync(file);
    database.exec('UPDATE blobs SET touched_at = touched_at - 7200');
    database.close();
    const marked = await store.sweep.mark(none, now - 3600);
    await store.putBlob('once more');
    await store.sweep.remove(none, marked, now - 3600, false);
    expect(await store.blob(id)).toBe('once more');
    await store.close();
  });
});

describe.skipIf(!hasPostgres('test/store/sweep.world.test.ts, with PostgreSQL'))('PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  sweepContract('sealed', () => openPostgresStore(server.database(`swept${++databases}`), sealing), 4);
});
