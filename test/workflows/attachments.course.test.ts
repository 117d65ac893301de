import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SessionResult } from '../../src/client.ts';
import { agentOf, inTurn } from '../support/agent-script.ts';
import type { Scripted, Seen } from '../support/model-server.ts';
import { plan, report, researchScript } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript } from '../support/team-script.ts';

// Those of plans are in solve-attachments.course.test.ts.

const running = sharedRunning();

const folder = mkdtempSync(join(tmpdir(), 'reprise-attached-'));
const table = join(folder, 'sales.csv');
writeFileSync(table, 'region,revenue\nNorth,100\nSouth,250\nNorth,50\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const attachments = [table];
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const reads: Scripted = { calls: [{ name: 'read_attachment', arguments: { name: 'sales.csv' } }] };
const hasRead = ({ prompt }: Seen): boolean => prompt.includes('"South"') || prompt.includes('South,250\nNorth,50');
const shows = '## Attachments\n\n### sales.csv (table, 44 bytes)';

test('a team and its judge are shown the files that come with a task, and its agents read them', async () => {
  const run = running(
    teamScript({ answer: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? answer('250') : reads) }),
  );
  const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });
  const input = { task: 'How much?', attachments: [...attachments, { name: 'dot.png', data: pixel }], config };
  expect(await run.orchestrate(input)).toMatchObject({ outcome: 'submitted', warnings: [] });
  const { requests } = run.model;
  for (const { prompt } of requests) expect(prompt).toContain(shows);
  expect(requests.some(({ tools }) => tools.includes('submit'))).toBe(true);
  expect(requests[0]?.tools).toEqual(expect.arrayContaining(['read_attachment', 'calculate', 'new_answer']));
  expect(requests[0]?.raw).toContain(pixel);
  expect(requests.filter(hasRead).length).toBeGreaterThan(1);
});

test.for([
  ['one agent', agentOf('openai', { simple: {} })],
  ['a team', teamOf(['agent_a'], { type: 'openai' })],
] as const)('a session with %s has its files before the first turn', async ([what, config]) => {
  const run = running(
    what === 'a team'
      ? teamScript({ answer: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? answer('250') : reads) })
      : inTurn([reads, { text: '250' }]),
  );
  const handle = await run.startSession({ text: 'How much?', attachments, config });
  expect((await handle.result()) as SessionResult).toMatchObject({ outcome: 'answered' });
  expect(run.model.requests[0]?.prompt).toContain(shows);
  expect(run.model.requests.some(hasRead)).toBe(true);
});

test('planner, critic and writer of a research run are shown the files that come with an idea, and read them', async () => {
  const once = (reply: Scripted) => (seen: Seen) => (hasRead(seen) ? reply : reads);
  const run = running(
    researchScript({ plan: once(plan('sales by region')), synthesise: once(report('Sales', 'South leads.')) }),
  );
  const config = { research: { backend: { type: 'openai' }, search: { provider: 'folder', folder } } };
  const result = await run.research({ idea: 'Sales.', attachments, config });
  expect(result.report.title).toBe('Sales');
  for (const { prompt, tools } of run.model.requests) {
    expect(prompt).toContain(shows);
    expect(tools).toContain('read_attachment');
  }
});

test('an input that nobody has signed may not name a file of the worker', async () => {
  const run = running(teamScript());
  const { client, taskQueue } = run;
  const args: [object] = [{ task: 'x', attachments }];
  const refused = client.workflow.execute('orchestration', { taskQueue, workflowId: `${taskQueue}-unsigned`, args });
  await expect(refused).rejects.toMatchObject({ cause: { message: expect.stringContaining('reprise ask --attach') } });
});
