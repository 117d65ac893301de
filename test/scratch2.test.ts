import { test, inject } from 'vitest';
import { writeFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { PendingQuestion } from '../src/protocol/questions.ts';
import { asks, askingTeam } from './support/asking.ts';
import { running } from './support/running.ts';
const count = Number(process.env['COUNT'] ?? 3000);
test('flood', async () => {
  await using run = await running(asks('Which color?'));
  const handle = await run.start({ task: 'T', config: askingTeam(3000) });
  let q: PendingQuestion | undefined;
  while (q === undefined) { [q] = await handle.query<PendingQuestion[]>('pendingQuestions'); await new Promise(r=>setTimeout(r,50)); }
  let sent = 0;
  const one = async () => { while (sent < count) { sent++; await handle.signal('answer', { questionId: 'nosuch', answer: 'x' }); } };
  const t = Date.now();
  await Promise.all(Array.from({ length: 50 }, one));
  const h = await handle.fetchHistory();
  console.log('sent', Date.now() - t, h.events!.length); writeFileSync('/tmp/bounds-look/h.json', historyToJSON(h)); await handle.terminate(); return;
  const t2 = Date.now();
  await Worker.runReplayHistory({ workflowBundle: { codePath: inject('temporal').bundle } }, h);
  console.log('replay', Date.now() - t2);
  writeFileSync('/tmp/bounds-look/h.json', historyToJSON(h)); await handle.terminate();
}, 600_000);
