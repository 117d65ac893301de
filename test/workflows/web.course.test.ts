import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { noOrchestrators } from '../../src/config/extensions.ts';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import { openParts } from '../../src/worker/parts.ts';
import { call, toolResults } from '../support/agent-script.ts';
import { historyText } from '../support/reading.ts';
import { sharedRunning } from '../support/running.ts';
import { startSearchServer, type SearchServer } from '../support/search-server.ts';
import { completed, solveScript } from '../support/solve-script.ts';

const running = sharedRunning();
const site: Record<string, [type: string, content: string]> = {
  '/': ['text/html', '<h1>The mill</h1><p>Read about <a href="/sales/">our sales</a>.</p>'],
  '/sales/': ['text/html', '<p>All of them are in <a href="2025.csv">a table</a>.</p>'],
  '/sales/2025.csv': ['text/csv', 'region,units\nNorth,3\nSouth,4\n'],
};
const server = createServer((request, response) => {
  const [type, content] = site[request.url ?? ''] ?? ['text/plain', ''];
  response.writeHead(content === '' ? 404 : 200, { 'content-type': type }).end(content);
});
let search: SearchServer;
let base = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  search = await startSearchServer(() => ({ results: [{ title: 'The mill', url: `${base}/`, content: 'Flour.' }] }));
});
afterAll(async () => {
  server.close();
  await search.close();
});

test('a subtask searches, follows links, keeps a table that it has found, and computes with it', async () => {
  const steps = [
    call('web_search', { query: 'mill sales 2025' }),
    call('fetch_page', { url: `${base}/` }),
    call('fetch_page', { url: `${base}/sales/` }),
    call('fetch_page', { url: `${base}/sales/2025.csv`, save_as: '2025.csv' }),
    call('query_table', { name: '2025.csv', sql: 'SELECT sum("units") FROM data' }),
  ];
  let results: string[] = [];
  const run = running(
    solveScript({
      work: (request) => {
        results = toolResults(request);
        return steps[results.length] ?? completed('7 units');
      },
    }),
  );
  const { address, bundle } = inject('temporal');
  const connection = await NativeConnection.connect({ address });
  const variables = {
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: run.model.openai,
    BRAVE_API_KEY: 'brave-secret',
    BRAVE_BASE_URL: search.brave,
    // The pages of this test are on this machine.
    REPRISE_FETCH_HOSTS: new URL(base).host,
  };
  const place = { home: run.home, configFolder: run.home };
  const parts = openParts({ ...place, variables }, noOrchestrators, { hasQuestion: false });
  const taskQueue = `${run.taskQueue}-web`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: bundle },
    activities: parts.activities,
    sinks: parts.sinks(connection, 'default'),
    plugins: [{ name: 'parts', runWorker: (worker, next) => parts.run(worker, next) }],
  });
  await worker.runUntil(async () => {
    const handle = await run.client.workflow.start('planAndExecute', {
      taskQueue,
      workflowId: taskQueue,
      args: [
        {
          problem: 'How many units were sold?',
          config: { plan: { executor: { tool_packages: ['builtin.web', 'builtin.attachments'] } } },
        },
      ],
    });
    expect((await handle.result()) as SolveResult).toMatchObject({ outcome: 'complete' });
    const history = historyText(await handle.fetchHistory());
    expect(history).toContain('How many units were sold?');
    expect(history).not.toContain('brave-secret');
  });
  expect(results).toEqual([
    `1. The mill\n${base}/\nFlour.`,
    `${base}/\n\nThe mill\nRead about our sales (/sales/).`,
    `${base}/sales/\n\nAll of them are in a table (/sales/2025.csv).`,
    expect.stringMatching(/\nSaved as 2025\.csv \(table, 29 bytes\)/),
    expect.stringContaining('"rows":[[7]]'),
  ]);
  await connection.close();
});
