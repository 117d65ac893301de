import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRecallReports } from '../../src/activities/reports.ts';
import { createStoreAttachments } from '../../src/activities/files.ts';
import { readContent } from '../../src/tools/attachments/content.ts';
import { recognise } from '../../src/tools/attachments/recognise.ts';
import { openZip } from '../../src/tools/attachments/archives/zip.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { textOfHtml } from '../../src/tools/web/content.ts';
import { searchFolder } from '../../src/tools/web/search/folder.ts';
import { activityBench } from '../support/activity-bench.ts';
import { workbookOf } from '../support/office.ts';
import { reportOf } from '../support/reports.ts';
import { stallOf } from '../support/stall.ts';
import { toolBench } from '../support/tool-bench.ts';
import { zipOf } from '../support/zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-stalls-'));
const bench = activityBench();
const tools = toolBench();
afterAll(async () => {
  await Promise.all([bench.close(), tools.close()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('no large work holds up the process for half a second', () => {
  test('a table of 19 MB that is attached', async () => {
    const rows = Array.from(
      { length: 400_000 },
      (_, index) => `${index},name ${index},${index * 1.5},"Town, 1",2026-01-01`,
    );
    writeFileSync(join(folder, 'large.csv'), `id,name,value,town,day\n${rows.join('\n')}`);
    const attach = createStoreAttachments({ store: bench.store, configFolder: folder });
    const stall = await stallOf(() => bench.run(attach, { attachments: ['large.csv'] }));
    expect(stall).toBeLessThan(500);
  });

  test('records of 18 MB that are attached', async () => {
    const lines = Array.from({ length: 250_000 }, (_, id) => JSON.stringify({ id, name: `name ${id}`, town: 'Town' }));
    writeFileSync(join(folder, 'large.jsonl'), lines.join('\n'));
    const attach = createStoreAttachments({ store: bench.store, configFolder: folder });
    const stall = await stallOf(() => bench.run(attach, { attachments: ['large.jsonl'] }));
    expect(stall).toBeLessThan(500);
  });

  test('a workbook of 300,000 rows that is read', async () => {
    const rows = Array.from(
      { length: 300_000 },
      (_, index) => `<row r="${index + 1}"><c r="A${index + 1}"><v>${index}</v></c></row>`,
    );
    const sheet = `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`;
    const parts: Record<string, Buffer | string> = { 'xl/worksheets/sheet1.xml': sheet };
    for (const member of await openZip(workbookOf({ S: [['x']] }), { members: 100, bytes: 1_000_000 }))
      parts[member.name] ??= await member.read();
    const bytes = zipOf(parts);
    let text: string | undefined;
    const reading = async (): Promise<void> => {
      ({ text } = await readContent('a.xlsx', bytes, await recognise('a.xlsx', bytes)));
    };
    expect(await stallOf(reading)).toBeLessThan(500);
    expect(text?.split('\n')).toHaveLength(300_002);
  });

  test('a folder of 8 MB that is searched, by an agent and by research', async () => {
    const text = Array.from(
      { length: 20_000 },
      (_, index) => `This is sentence ${index} about kites and their wings.\n`,
    );
    for (const name of ['one', 'two', 'three', 'four']) {
      tools.write({ [`texts/${name}/${name}.md`]: text.join('\n'), [`${name}.md`]: text.join('\n') });
    }
    const search = { name: 'search_texts', source: { package: 'builtin.search' } };
    expect(await stallOf(() => tools.call(search, { query: 'kites with wings' }).result)).toBeLessThan(500);
    const { signal } = new AbortController();
    const research = searchFolder(join(tools.folder, 'texts'), bench.store);
    expect(await stallOf(() => research('kites with wings', 10, signal))).toBeLessThan(500);
  });

  test('a thousand stored reports that are compared', async () => {
    const summary = 'A summary of what was found about kites. '.repeat(200);
    for (let index = 0; index < 1000; index++) {
      const { report, ...rest } = reportOf({ id: `r${index}`, idea: `Kites of kind ${index} that fly by night` });
      await bench.store.putReport({ ...rest, report: { ...report, summary } });
    }
    const recall = createRecallReports({ store: bench.store });
    expect(await stallOf(() => bench.run(recall, { idea: 'Kites that fly' }))).toBeLessThan(500);
    mkdirSync(join(folder, 'empty'));
    const { signal } = new AbortController();
    const research = searchFolder(join(folder, 'empty'), bench.store);
    expect(await stallOf(() => research('kites that fly', 10, signal))).toBeLessThan(500);
  });

  test('a tree with five times as many files as a workspace may have, all in its deepest folder', async () => {
    const deepest = Array.from({ length: 49 }, (_, depth) => `folder ${depth}`).join('/');
    const files = Array.from(
      { length: 100_000 },
      (_, index) => [`${deepest}/${index}`, { id: String(index), bytes: 1, mode: 'file' }] as const,
    );
    expect(await stallOf(() => new Trees(bench.store).write(new Map(files)))).toBeLessThan(500);
  });
});

test('a page that is made to take for ever is given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let given: string | undefined;
  const text = textOfHtml('<ul><li>'.repeat(250_000)).finally(() => (given = 'up'));
  text.catch(() => {});
  const before = process.cpuUsage();
  // It has been at work for as long as a normal page takes.
  await expect.poll(() => process.cpuUsage(before).user).toBeGreaterThan(1_000_000);
  await vi.advanceTimersByTimeAsync(9999);
  expect(given).toBeUndefined();
  vi.advanceTimersByTime(1);
  await expect(text).rejects.toMatchObject({
    name: 'ToolError',
    message: 'the page cannot be read as text within 10 seconds and 512 MB of memory',
  });
});
