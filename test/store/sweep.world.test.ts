import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol/message.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { presentWorkflow } from '../../src/store/reference-rows.ts';
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
const later = (): number => Math.floor(Date.now() / 1000) + 10_000;

/** Turns every bit around, so that whoever does not open it reads nothing. */
const turned = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);
const sealing: Cipher = {
  encryptText: (text) => Buffer.from(turned(Buffer.from(text))).toString('base64'),
  decryptText: (stored) => Buffer.from(turned(Buffer.from(stored, 'base64'))).toString(),
  encryptBytes: turned,
  decryptBytes: turned,
};

/** What one made-up run has stored. */
interface MadeUp {
  runId: string;
  workflowId: string;
  blobs: string[];
  segments: string[];
  tree: string | null;
}

/** Has a run begin a conversation, or go on with that of an earlier run of its workflow, and store what runs store. */
async function makeUp(store: SqlStore, number: number, earlier: MadeUp | undefined, calls: number): Promise<MadeUp> {
  const [runId, workflowId] = [`run-${number}`, earlier?.workflowId ?? `workflow-${number}`];
  return presentWorkflow.run(workflowId, async () => {
    const blobs = [...(earlier?.blobs ?? [])];
    const segments: string[] = [];
    let transcript = earlier?.segments[number % earlier.segments.length] ?? null;
    for (let call = 0; call < calls; call++) {
      const image = await store.putBlob(`image ${number} ${call}`);
      const messages: Message[] = [
        { role: 'user', content: `question ${call}`, images: [{ blob: image, mediaType: 'image/png' }] },
        { role: 'assistant', content: 'answer' },
      ];
      const key = `${runId}/${call}`;
      const result = { reply: { content: 'answer', calls: [], finish: 'stop' as const }, usage };
      const reply = await store.commitReply({ key, inputHash: 'h', parent: transcript, messages, result });
      transcript = reply.transcript.id;
      segments.push(transcript);
      // What several workflows have, each of them needs.
      const blob = await store.putBlob(`tool result ${number % 3} ${call}`);
      await store.commitToolResult(`${runId}/t${call}`, 'h', { status: 'ok', text: '…', blob });
      await store.putResult(workflowId, 'a', blob);
      blobs.push(image, blob);
    }
    const [content = ''] = await store.putObjects([Buffer.from(`file ${number % 3}`)]);
    const tree = await new Trees(store).write(
      new Map([
        [`docs/${number % 2}.txt`, { id: content, bytes: 6, mode: 'file' as const }],
        ['same.txt', { id: content, bytes: 6, mode: 'file' as const }],
      ]),
    );
    await store.beginFiles(workflowId, runId);
    const text = await store.putBlob(`text ${number}`);
    blobs.push(text);
    const file = { name: 'a.txt', kind: 'text' as const, mediaType: 'text/plain', bytes: 1, text, content };
    await store.putFile(workflowId, { ...file, from: 'attachment' });
    return { runId, workflowId, blobs, segments, tree };
  });
}

async function isWhole(store: SqlStore, { blobs, runId, segments, tree, workflowId }: MadeUp): Promise<void> {
  for (const blob of blobs) await store.blob(blob);
  for (const segment of segments) await store.messages(segment);
  for (const { id } of (await new Trees(store).read(tree)).values()) await store.object(id);
  for (const [call] of segments.entries()) expect(await store.findReply(`${runId}/${call}`, 'h')).toBeDefined();
  expect(await store.files(workflowId)).toHaveLength(1);
}

const plans = fc.array(fc.record({ after: fc.nat(5), calls: fc.integer({ min: 1, max: 4 }), kept: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
});

function sweepContract(name: string, open: () => SqlStore | Promise<SqlStore>, runs: number): void {
  test(
    `${name}: of random runs, all that kept workflows need stays, and nothing else`,
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const store = await open();
          try {
            const made: MadeUp[] = [];
            for (const [index, { after, calls }] of plan.entries())
              made.push(await makeUp(store, index, after === 0 ? undefined : made[index - after], calls));
            const wanted = new Set(made.filter((_, index) => plan[index]?.kept).map(({ workflowId }) => workflowId));
            const before = later();
            const dry = await store.sweep.remove(wanted, { before, isDry: true });
            for (const each of made) await isWhole(store, each);
            const swept = await store.sweep.remove(wanted, { before, isDry: false });
            expect(swept).toEqual(dry);
            const kept = made.filter(({ workflowId }) => wanted.has(workflowId));
            for (const each of kept) await isWhole(store, each);
            const left = await store.sweep.remove(wanted, { before, isDry: true });
            expect(Object.values(left).every(({ rows }) => rows === 0)).toBe(true);
            for (const gone of made.filter((each) => !kept.includes(each))) {
              expect(await store.findReply(`${gone.runId}/0`, 'h')).toBeUndefined();
              expect(await store.files(gone.workflowId)).toEqual([]);
            }
            expect(await store.sweep.workflowIds()).toEqual(wanted);
            if (kept.length === 0) for (const { rows, of } of Object.values(swept)) expect(rows).toBe(of);
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
    await store.sweep.remove(new Set(), { before: Math.floor(Date.now() / 1000) - 3600, isDry: false });
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
    await store.sweep.remove(new Set(), { before: later(), isDry: false });
    const { bytes } = await store.sweep.size();
    expect(await store.sweep.shrink()).toBe(true);
    expect((await store.sweep.size()).bytes).toBeLessThan(bytes / 10);
    await store.close();
    expect(statSync(file).size).toBeLessThan(400_000);
  });

  test('what a workflow has found rather than stored is there for it once the one that has stored it is gone', async () => {
    const store = openSqliteStore(newFile());
    const contents = [Buffer.from('the same')];
    const [id = ''] = await presentWorkflow.run('one', () => store.putObjects(contents));
    const found = (): Promise<string[]> => presentWorkflow.run('other', () => store.missingObjects([id]));
    expect(await found()).toEqual([id]);
    await presentWorkflow.run('other', () => store.putObjects(contents));
    expect(await found()).toEqual([]);
    await store.sweep.remove(new Set(['other']), { before: later(), isDry: false });
    expect(Buffer.from(await store.object(id)).toString()).toBe('the same');
    await store.close();
  });

  test('what workflows store at the same time, each of them needs by itself', async () => {
    const store = openSqliteStore(newFile());
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const ids = await Promise.all(
      texts.map((text, index) => presentWorkflow.run(`workflow-${index % 5}`, () => store.putBlob(text))),
    );
    await store.sweep.remove(new Set(['workflow-3']), { before: later(), isDry: false });
    for (const [index, id] of ids.entries())
      expect(await store.blob(id).catch(() => 'gone')).toBe(index % 5 === 3 ? texts[index] : 'gone');
    await store.close();
  });

  test('a blob that is stored once more stays, and so do those of a workflow that begins again', async () => {
    const file = newFile();
    const store = openSqliteStore(file);
    const [first, second] = await presentWorkflow.run('one', () =>
      Promise.all(['a', 'b'].map((each) => store.putBlob(each))),
    );
    // They were written two days ago, as far as the store knows.
    const database = new DatabaseSync(file);
    database.exec('UPDATE blobs SET touched_at = touched_at - 172800');
    database.exec('UPDATE workflows SET touched_at = touched_at - 172800');
    database.close();
    const before = Math.floor(Date.now() / 1000) - 86_400;
    await store.putBlob('a');
    await presentWorkflow.run('two', () => store.putBlob('b'));
    await store.sweep.remove(new Set(), { before, isDry: false });
    expect(await Promise.all([first, second].map((id) => store.blob(id ?? '')))).toEqual(['a', 'b']);
    expect(await store.sweep.workflowIds()).toEqual(new Set(['two']));
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
