import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol/message.ts';
import type { ReplyCommit, RunFile, Store } from '../../src/store/store.ts';
import { hashOf } from '../../src/util/ids.ts';
import { reportOf } from '../support/reports.ts';

const usage = { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 };
const said = (text: string): Message[] => [
  { role: 'user', content: text },
  { role: 'assistant', content: `re: ${text}` },
];
const commit = (overrides: Partial<ReplyCommit> = {}): ReplyCommit => ({
  key: 'run/model-1',
  inputHash: 'h1',
  parent: null,
  messages: said('hello'),
  result: { reply: { content: 're: hello', calls: [], finish: 'stop' }, usage },
  ...overrides,
});

/** The tests that every implementation of a store must pass. @param open opens a new, empty store */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    let count = 0;
    const newKey = (): string => `run/model-${++count}`;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test('a committed reply is found again under its key and input, with its transcript', async () => {
      const key = newKey();
      const result = await store.commitReply(commit({ key }));
      expect(result.transcript.messages).toBe(2);
      expect(await store.findReply(key, 'h1')).toEqual(result);
      expect(await store.messages(result.transcript.id)).toEqual(said('hello'));
    });

    test('nothing is found under an unknown key, nor under a known one with another input', async () => {
      const key = newKey();
      await store.commitReply(commit({ key }));
      expect(await store.findReply('run/unknown', 'h1')).toBeUndefined();
      expect(await store.findReply(key, 'h2')).toBeUndefined();
    });

    test('of two writers of one key the first wins, and both get its result', async () => {
      const key = newKey();
      const first = await store.commitReply(commit({ key }));
      const second = await store.commitReply(commit({ key, messages: said('other') }));
      expect(second).toEqual(first);
      expect(await store.findReply(key, 'h1')).toEqual(first);
    });

    test('of a call under way the last checkpoint is found, for the same input alone, until its reply is committed', async () => {
      const key = newKey();
      const checkpoint = { attempt: 1, usage, session: 's1', tree: null };
      expect(await store.checkpoint(key, 'h1')).toBeUndefined();
      await store.putCheckpoint(key, 'h1', checkpoint);
      await store.putCheckpoint(key, 'h1', { ...checkpoint, session: 's2', tree: 't' });
      expect(await store.checkpoint(key, 'h1')).toEqual({ ...checkpoint, session: 's2', tree: 't' });
      expect(await store.checkpoint(key, 'h2')).toBeUndefined();
      await store.commitReply(commit({ key }));
      expect(await store.checkpoint(key, 'h1')).toBeUndefined();
    });

    test('the same key with another input is a call of its own', async () => {
      const key = newKey();
      await store.commitReply(commit({ key }));
      const other = await store.commitReply(commit({ key, inputHash: 'h2', messages: said('other') }));
      expect(await store.messages(other.transcript.id)).toEqual(said('other'));
    });

    test('a tool’s result is found again under its key and input, and nowhere else', async () => {
      const key = newKey();
      const result = { status: 'ok', text: 'Sunny', blob: 'id' } as const;
      expect(await store.commitToolResult(key, 'h1', result)).toEqual(result);
      expect(await store.findToolResult(key, 'h1')).toEqual(result);
      expect(await store.findToolResult(key, 'h2')).toBeUndefined();
      expect(await store.findToolResult('run/unknown', 'h1')).toBeUndefined();
    });

    test('of two workers that journal one tool call the first wins, and both get its result', async () => {
      const key = newKey();
      const first = await store.commitToolResult(key, 'h1', { status: 'ok', text: 'Sunny' });
      expect(await store.commitToolResult(key, 'h1', { status: 'exception', text: 'Died' })).toEqual(first);
      expect(await store.findToolResult(key, 'h1')).toEqual(first);
    });

    test('a chain is read oldest first, and a fork leaves the other branch alone', async () => {
      const root = await store.commitReply(commit({ key: newKey() }));
      const parent = root.transcript.id;
      const left = await store.commitReply(commit({ key: newKey(), parent, messages: said('left') }));
      const right = await store.commitReply(commit({ key: newKey(), parent, messages: said('right') }));
      expect(left.transcript.messages).toBe(4);
      expect(await store.messages(left.transcript.id)).toEqual([...said('hello'), ...said('left')]);
      expect(await store.messages(right.transcript.id)).toEqual([...said('hello'), ...said('right')]);
      expect(await store.segment(right.transcript.id)).toEqual(said('right'));
    });

    test('equal segments have equal ids, whoever wrote them', async () => {
      const one = await store.commitReply(commit({ key: newKey(), messages: said('same') }));
      const other = await store.commitReply(commit({ key: newKey(), messages: said('same') }));
      expect(one.transcript.id).toBe(other.transcript.id);
    });

    test('a missing parent, segment or blob is an error that names it', async () => {
      await expect(store.commitReply(commit({ key: newKey(), parent: 'gone' }))).rejects.toThrow('gone');
      await expect(store.messages('gone')).rejects.toThrow('gone');
      await expect(store.segment('gone')).rejects.toThrow('gone');
      await expect(store.blob('gone')).rejects.toThrow('gone');
    });

    test('a commit that fails leaves nothing behind', async () => {
      const key = newKey();
      await expect(store.commitReply(commit({ key, parent: 'gone' }))).rejects.toThrow('gone');
      expect(await store.findReply(key, 'h1')).toBeUndefined();
    });

    test('any text comes back from a blob as it was, and is stored once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
          const id = await store.putBlob(text);
          expect(await store.putBlob(text)).toBe(id);
          expect(await store.blob(id)).toBe(text);
        }),
        { numRuns: 25 },
      );
    });

    test('texts with zero characters, byte order marks and half characters come back as UTF-8 has them', async () => {
      for (const text of ['a\u0000b', '\uFEFFa', 'é\r\n', '']) {
        expect(await store.blob(await store.putBlob(text))).toBe(text);
      }
      expect(await store.blob(await store.putBlob('\uD800'))).toBe('\uFFFD');
    });

    test('any bytes come back from an object as they were, under the hash of their content', async () => {
      const contents = [new Uint8Array([0, 255, 10]), new Uint8Array(), new TextEncoder().encode('é')];
      const ids = await store.putObjects([...contents, ...contents]);
      expect(ids).toEqual([...contents, ...contents].map((each) => hashOf(each)));
      for (const [index, content] of contents.entries()) {
        expect(new Uint8Array(await store.object(ids[index] ?? ''))).toEqual(content);
      }
    });

    test('more objects than one transaction takes are all stored, and only the unknown ones are missing', async () => {
      const contents = Array.from({ length: 1500 }, (_, index) => new TextEncoder().encode(`object ${index}`));
      const ids = await store.putObjects(contents);
      const unknown = [hashOf('never stored'), hashOf('nor this')];
      expect(await store.missingObjects([...ids, ...unknown, ...unknown])).toEqual(unknown);
      await expect(store.object(unknown[0] ?? '')).rejects.toThrow(unknown[0]);
    });

    test('what calls cost is known of replies and of abandoned calls; a reply’s own figures win', async () => {
      const [replied, abandoned, both] = [newKey(), newKey(), newKey()];
      const estimate = { inputTokens: 9, cachedInputTokens: 0, outputTokens: 9, estimated: true };
      const tried = { attempt: 1, usage: estimate, failed: false };
      await store.commitReply(commit({ key: replied }));
      await store.recordTry(abandoned, tried);
      await store.recordTry(both, tried);
      await store.commitReply(commit({ key: both }));
      expect(await store.spent([replied, abandoned, both, 'run/unknown'])).toEqual(
        new Map([
          [replied, usage],
          [abandoned, estimate],
          [both, usage],
        ]),
      );
    });

    test('the texts of calls in progress are read from a place on, of one try and of later ones, until they are forgotten', async () => {
      const { liveTexts } = store;
      const [key, other] = [newKey(), newKey()];
      const piece = (attempt: number, offset: number, text: string, of = key) => ({
        key: of,
        attempt,
        offset,
        text,
        workflowId: 'w',
      });
      await liveTexts.write([piece(1, 0, 'One\0\uD83D'), piece(2, 0, 'Uno'), piece(1, 0, 'One', other)], []);
      await liveTexts.write([piece(2, 3, ' dos'), piece(2, 0, 'again')], []);
      const texts = async (attempt: number, offset: number): Promise<string[]> =>
        (await liveTexts.read(key, attempt, offset)).map((each) => `${each.attempt} ${each.offset} ${each.text}`);
      expect(await texts(0, 0)).toEqual(['1 0 One\0\uD83D', '2 0 Uno', '2 3  dos']);
      expect(await texts(1, 5)).toEqual(['2 0 Uno', '2 3  dos']);
      expect(await texts(2, 3)).toEqual(['2 3  dos']);
      expect(await texts(2, 7)).toEqual([]);
      await liveTexts.write([], [{ key, attempt: 1 }]);
      expect(await texts(0, 0)).toEqual(['2 0 Uno', '2 3  dos']);
      await liveTexts.write([], [{ key, attempt: 2 }]);
      expect(await texts(0, 0)).toEqual([]);
      expect(await liveTexts.read(other, 0, 0)).toEqual([{ attempt: 1, offset: 0, text: 'One' }]);
    });

    test('what several tries have cost is known of each and together, and each is counted once', async () => {
      const key = newKey();
      const first = { attempt: 1, usage, failed: true };
      const second = { attempt: 3, usage: { ...usage, estimated: true }, failed: false };
      await store.recordTry(key, second);
      await store.recordTry(key, first);
      await store.recordTry(key, { ...first, usage: { ...usage, outputTokens: 99 } });
      expect(await store.tries(key)).toEqual([first, second]);
      expect(await store.tries('run/unknown')).toEqual([]);
      expect((await store.spent([key])).get(key)).toEqual({
        inputTokens: 6,
        cachedInputTokens: 2,
        outputTokens: 4,
        estimated: true,
      });
    });

    test('a tool result is found again by the workflow’s agent that got it, and by no other', async () => {
      const blob = await store.putBlob('Long.');
      const id = await store.putResult('w', 'a', blob);
      expect(await store.putResult('w', 'a', blob)).toBe(id);
      expect(await store.result('w', 'a', id)).toBe(blob);
      expect(await store.result('w', 'b', id)).toBeUndefined();
      expect(await store.result('v', 'a', id)).toBeUndefined();
      expect(await store.result('w', 'a', 'unknown')).toBeUndefined();
    });

    test('a report is found again under its id as it was, and nothing under an unknown one', async () => {
      const report = reportOf({ id: 'found', similar: [{ title: 'A “page”', url: 'https://a.example' }] });
      expect(await store.putReport(report)).toEqual(report);
      expect(await store.report('found')).toEqual(report);
      expect(await store.report('unknown')).toBeUndefined();
    });

    test('of two writers of one report the first wins, and both get what it wrote', async () => {
      const first = await store.putReport(reportOf({ id: 'twice', outcome: 'viable' }));
      expect(await store.putReport(reportOf({ id: 'twice', outcome: 'stopped' }))).toEqual(first);
      expect(await store.report('twice')).toEqual(first);
    });

    test('reports are listed newest first, whatever order they came in, and no more than are wanted', async () => {
      const days = ['2031-05-02', '2031-05-09', '2031-05-05'];
      for (const day of days) await store.putReport(reportOf({ id: day, createdAt: `${day}T00:00:00.000Z` }));
      const newest = await store.reports(2);
      expect(newest.map(({ id }) => id)).toEqual(['2031-05-09', '2031-05-05']);
      const all = await store.reports(1000);
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(days));
    });

    test('a secret is random and of 32 bytes, and the same for all who ask for it at once and later', async () => {
      const asked = await Promise.all(Array.from({ length: 5 }, () => store.secret('seal')));
      expect(new Set([...asked, await store.secret('seal')]).size).toBe(1);
      expect(Buffer.from(asked[0] ?? '', 'base64')).toHaveLength(32);
      expect(await store.secret('other')).not.toBe(asked[0]);
    });

    test('a store is known by an id that stays', async () => {
      expect(await store.identity()).toMatch(/^[0-9a-f]{16}$/);
      expect(await store.identity()).toBe(await store.identity());
    });

    test('a rate adds up what all have taken, and keeps nobody waiting for longer than it may', async () => {
      const startedAt = Date.now();
      const taken = await Promise.all(Array.from({ length: 5 }, () => store.rates.take('r', 10_000, 300_000)));
      const passed = Date.now() - startedAt;
      for (const [index, wait] of taken.toSorted((one, other) => one - other).entries()) {
        expect(wait).toBeLessThanOrEqual(index * 10_000 + passed);
        expect(wait).toBeGreaterThanOrEqual(index * 10_000 - passed - 1);
      }
      // As a worker does whose clock is wrong.
      await store.rates.take('r', 86_400_000, 300_000);
      expect(await store.rates.take('r', 1, 300_000)).toBeLessThanOrEqual(300_000);
    });

    test('a rate is paused for the longest time that was asked for', async () => {
      await store.rates.pause('openai', 60_000, 240_000);
      await store.rates.pause('openai', 1000, 240_000);
      await store.rates.pause('over', -1, 240_000);
      const paused = await store.rates.paused(240_000);
      expect([...paused.keys()]).toEqual(['openai']);
      expect(paused.get('openai')).toBeGreaterThan(1000);
    });

    test('a pause that a wrong clock has put hours ahead holds nobody, and the next one takes its place', async () => {
      await store.rates.pause('ahead', 8 * 3_600_000, 240_000);
      expect([...(await store.rates.paused(240_000)).keys()]).not.toContain('ahead');
      await store.rates.pause('ahead', 60_000, 240_000);
      const left = (await store.rates.paused(240_000)).get('ahead');
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
    });

    describe('the files of a workflow', () => {
      const fileOf = (overrides: Partial<RunFile> = {}): RunFile => ({
        name: 'a.csv',
        kind: 'table',
        mediaType: 'text/csv',
        bytes: 9,
        content: hashOf('one'),
        from: 'attachment',
        ...overrides,
      });
      beforeAll(() => store.putObjects(['one', 'other'].map((text) => Buffer.from(text))));

      test('are found again as they were, with and without what may be absent', async () => {
        const text = await store.putBlob('a,b');
        const image = await store.putBlob('aW1hZ2U=');
        const full = fileOf({ name: 'full', text, image, note: 'Half of it is “gone”.' });
        expect(await store.putFile('found', full)).toEqual(full);
        expect(await store.putFile('found', fileOf())).toEqual(fileOf());
        expect(await store.file('found', 'full')).toEqual(full);
        expect(await store.file('found', 'a.csv')).toEqual(fileOf());
        expect(await store.file('found', 'b.csv')).toBeUndefined();
      });

      test('are listed in the order in which they came, and none of another workflow', async () => {
        const names = ['c', 'a', 'b'];
        for (const name of names) await store.putFile('ordered', fileOf({ name }));
        await store.putFile('other', fileOf({ name: 'd' }));
        expect((await store.files('ordered')).map(({ name }) => name)).toEqual(names);
        expect(await store.files('unknown')).toEqual([]);
      });

      test.each<[string, RunFile['from'], RunFile['from'], winner: 'first' | 'second']>([
        ['an attachment stays as it is', 'attachment', 'attachment', 'first'],
        ['also where a tool comes with its name', 'attachment', 'tool', 'first'],
        ['what a tool made gives way to a tool’s', 'tool', 'tool', 'second'],
        ['and to no attachment', 'tool', 'attachment', 'first'],
      ])('of two contents under one name: %s', async (workflowId, one, other, winner) => {
        const files = {
          first: fileOf({ from: one }),
          second: fileOf({ from: other, content: hashOf('other'), bytes: 1 }),
        };
        await store.putFile(workflowId, files.first);
        await store.putFile(workflowId, fileOf({ name: 'later' }));
        expect(await store.putFile(workflowId, files.second)).toEqual(files[winner]);
        expect(await store.files(workflowId)).toEqual([files[winner], fileOf({ name: 'later' })]);
      });

      test('a file that is put again is there once', async () => {
        await store.putFile('twice', fileOf());
        expect(await store.putFile('twice', fileOf())).toEqual(fileOf());
        expect(await store.files('twice')).toEqual([fileOf()]);
      });

      test('are forgotten when another run begins under the same workflow id, and kept when the same one does', async () => {
        await store.beginFiles('begun', 'run-1');
        await store.putFile('begun', fileOf());
        await store.beginFiles('begun', 'run-1');
        expect(await store.files('begun')).toEqual([fileOf()]);
        await store.beginFiles('begun', 'run-2');
        expect(await store.files('begun')).toEqual([]);
        expect(await store.files('other')).toHaveLength(1);
      });
    });
  });
}
