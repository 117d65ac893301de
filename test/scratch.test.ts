import { test } from 'vitest';
import type { PendingQuestion } from '../src/protocol/questions.ts';
import { asks, askingTeam } from './support/asking.ts';
import { running } from './support/running.ts';
import { Reprise } from '../src/client/reprise.ts';
test('flood', async () => {
  await using run = await running(asks('Which color?'));
  const handle = await run.start({ task: 'T', config: askingTeam(3000) });
  let q: PendingQuestion | undefined;
  while (q === undefined) { [q] = await handle.query<PendingQuestion[]>('pendingQuestions'); await new Promise(r=>setTimeout(r,50)); }
  console.log('question', q.questionId);
  // wrong payload
  for (const [encoding, data] of [['json/plain', 'not json'], ['json/protobuf', '{}'], ['nosuch/enc', 'x'], ['binary/encrypted', 'x']] as const)
  await run.client.workflowService.signalWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId: handle.workflowId }, signalName: 'answer', input: { payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) }] } });
  console.log((await handle.query<any[]>('events')).slice(-2));
  const t = Date.now();
  let failed = 0, sent = 0; let message = '';
  const errors = new Map<string, number>();
  const one = async () => { while (sent < 10_050) { sent++; try { await handle.signal(sent % 7 === 0 ? 'foo' : 'answer', { questionId: 'nosuch', answer: 'x' }); } catch (e) { failed++; message = String((e as any).cause?.details ?? (e as Error).message); errors.set(message, (errors.get(message) ?? 0) + 1);} } };
  await Promise.all(Array.from({ length: 50 }, one));
  console.log('flood took', Date.now() - t, 'failed', failed, errors);
  const d = await handle.describe();
  console.log('historyLength', d.historyLength, d.raw.workflowExecutionInfo?.historySizeBytes?.toString());
  const t2 = Date.now();
  const ev = await handle.query<any[]>('events');
  console.log('query after', Date.now() - t2, ev.length, ev.slice(-4), (await handle.query<any>('state')).ignored);
  const reprise = new Reprise(run.client, run.client.connection as any, run.taskQueue);
  const r = reprise.getRun(handle.workflowId);
  try { await r.answer({ questionId: 'nosuch', answer: 'Dark' }); console.log('ok?'); } catch (e) { console.log('refused', (e as any).name, (e as any).message); }
  const t4 = Date.now();
  await r.answer({ questionId: q.questionId, answer: 'Dark' });
  console.log('answer ok', Date.now() - t4);
  console.log(JSON.stringify(await handle.result()).slice(0, 300), Date.now() - t4);
  const t3 = Date.now(); await run.replaceWorker({}); console.log('replaced', Date.now()-t3);
  console.log((await handle.query<any>('state')).ignored, 'replayed', Date.now() - t3);
}, 600_000);
