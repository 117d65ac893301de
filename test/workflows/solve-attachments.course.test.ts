import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedRunning } from '../support/running.ts';
import { zipOf } from '../support/zip.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';

const running = sharedRunning();

const openai = { plan: { backend: { type: 'openai' } } };
const folder = mkdtempSync(join(tmpdir(), 'reprise-attachments-'));
const table = join(folder, 'sales.csv');
writeFileSync(table, 'region,revenue\nNorth,100\nSouth,250\nNorth,50\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a subtask computes from a table with the built-in tools, and is shown its beginning', async () => {
  const run = running(
    solveScript({
      work: ({ prompt, time }) => {
        if (time > 1) return completed(`Together ${/"rows":\[\[(\d+)/.exec(prompt)?.[1]}.`);
        const sql = `SELECT sum("revenue") FROM data WHERE "region" = 'North'`;
        return { calls: [{ name: 'query_table', arguments: { name: 'sales.csv', sql } }] };
      },
    }),
  );
  const { subtasks: all } = await run.solve({ problem: 'How much?', attachments: [table], config: openai });
  const work = run.model.requests.find(({ tools }) => tools.includes('finish_subtask'));
  expect(work?.tools).toEqual(expect.arrayContaining(['query_table', 'read_attachment', 'calculate']));
  expect(work?.prompt).toContain('### sales.csv (table, 44 bytes)');
  expect(all).toMatchObject([{ status: 'completed', result: 'Together 150.' }]);
});

test('only the subtasks that need an attachment are given it, and what one saves is there in a retry', async () => {
  const run = running(
    solveScript({
      plan: () => subtasks({ id: 'step_1', attachments: ['a.txt'] }, { id: 'step_2', attachments: [] }),
      work: ({ id, prompt, time }) => {
        if (id === 'step_2') return completed('Yes.');
        if (time === 1)
          return { calls: [{ name: 'save_file', arguments: { name: 'found.txt', text: 'Half of it.' } }] };
        if (time === 2) return failed('Only half.');
        if (time === 3) return { calls: [{ name: 'read_attachment', arguments: { name: 'found.txt' } }] };
        return completed(prompt.includes('Half of it.') ? 'The rest.' : 'All anew.');
      },
      validate: ({ time }) => (time === 1 ? invalid('All of it') : valid),
    }),
  );
  const { subtasks: all } = await run.solve({
    problem: 'What?',
    attachments: [{ name: 'a.txt', data: Buffer.from('A note.').toString('base64') }],
    config: openai,
  });
  expect(all).toMatchObject([{ result: 'The rest.', executions: 2 }, { executions: 1 }]);
  const second = run.model.requests.find(({ prompt }) => prompt.includes('Carry out step_2.'));
  expect(second?.prompt).not.toContain('### a.txt');
});

test.each(['openai', 'claude'] as const)('a model that sees gets an image: %s', async (type) => {
  const run = running(solveScript());
  await run.solve({
    problem: 'Which color?',
    attachments: [{ name: 'pixel.png', data: pixel }],
    config: { plan: { backend: { type } } },
  });
  const seeing = run.model.requests.filter(({ raw }) => raw.includes(pixel));
  // Planner, planner, executor.
  expect(seeing.map(({ definedTools }) => definedTools.includes('finish_subtask'))).toEqual([false, false, true]);
});

test.each(['openai', 'claude', 'chatcompletion'] as const)(
  'an image of a large archive is seen by the call that shows it: %s',
  async (type) => {
    const texts = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.txt`, 'No.']));
    const data = zipOf({ ...texts, 'maps/pixel.png': Buffer.from(pixel, 'base64') }).toString('base64');
    const run = running(
      solveScript({
        work: ({ time }) => {
          if (time > 1) return completed('Red.');
          return { calls: [{ name: 'view_image', arguments: { name: 'maps.zip/maps/pixel.png' } }] };
        },
      }),
    );
    const backend = type === 'chatcompletion' ? { type, model: 'some-model', base_url: run.model.openai } : { type };
    const { subtasks: all } = await run.solve({
      problem: 'Which color?',
      attachments: [{ name: 'maps.zip', data }],
      config: { plan: { backend } },
    });
    expect(all).toMatchObject([{ status: 'completed', result: 'Red.' }]);
    const work = run.model.requests.filter(({ tools }) => tools.includes('finish_subtask'));
    expect(work.map(({ raw }) => raw.includes(pixel))).toEqual([false, true]);
  },
);

test('a damaged PDF is a note that the subtasks see', async () => {
  const run = running(solveScript());
  const data = Buffer.from('%PDF-1.4\n1 0 obj << broken').toString('base64');
  const { outcome } = await run.solve({
    problem: 'What does it say?',
    attachments: [{ name: 'paper.pdf', data }],
    config: openai,
  });
  expect(outcome).toBe('complete');
  const work = run.model.requests.find(({ tools }) => tools.includes('finish_subtask'));
  expect(work?.prompt).toMatch(/### paper\.pdf \(pdf, \d+ bytes\)\n.*(?:damaged|cannot be read)/i);
});

test.each([
  ['a file that is missing', ['/nowhere/a.csv'], /\/nowhere\/a\.csv/],
  ['a folder', [folder], /folder/],
])('%s: nothing is spent', async (_, attachments, said) => {
  const run = running(solveScript());
  const handle = await run.startSolve({ problem: 'What?', attachments, config: openai });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'InvalidInput', message: expect.stringMatching(said) as string },
  });
  expect(run.model.requests).toHaveLength(0);
});
