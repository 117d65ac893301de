import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { InboxQuestion } from '../../src/client.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { Home } from '../support/cli.ts';
import { researchScript } from '../support/research-script.ts';
import { running, type Running } from '../support/running.ts';

/** Waits for the first plan of a run, so that its worker can be exchanged meanwhile. */
let planned = async (): Promise<void> => {};
let home: Home;
let run: Running;
beforeAll(async () => {
  const script = researchScript();
  run = await running(async (seen) => {
    if (seen.tools.includes('submit_plan')) await planned();
    return script(seen);
  });
  home = await Home.make({ TEMPORAL_ADDRESS: inject('temporal').address });
});
afterAll(async () => {
  await run.idle();
  await run[Symbol.asyncDispose]();
  await home.remove();
});

const research = { backend: { type: 'openai' }, search: { folder: ownDocs }, approval: true };

async function waitingFor(handle: WorkflowHandle, kind: PendingQuestion['kind']): Promise<PendingQuestion> {
  const pending = () => handle.query<PendingQuestion[]>('pendingQuestions');
  await expect.poll(async () => (await pending()).map((each) => each.kind)).toEqual([kind]);
  const [found] = await pending();
  return found!;
}

/** What `inbox --json` says of a run, once it has found it: the server lists what has changed a little later. */
async function listed(id: string): Promise<InboxQuestion[]> {
  let found: InboxQuestion[] = [];
  const look = async (): Promise<number> => {
    const { stdout } = await home.run(['inbox', '--json']);
    found = (JSON.parse(stdout) as InboxQuestion[]).filter(({ workflowId }) => workflowId === id);
    return found.length;
  };
  await expect.poll(look).toBe(1);
  return found;
}

test('an approval of research is listed with the commands that decide it, and takes no answer', async () => {
  const handle = await run.startResearch({ idea: 'An idea.', config: { research } });
  const id = handle.workflowId;
  const approval = await waitingFor(handle, 'approval');
  expect(await listed(id)).toEqual([{ workflowId: id, task: 'An idea.', ...approval }]);
  const { stdout } = await home.run(['inbox']);
  expect(stdout).toContain(
    [
      `${id} (An idea.): planner asks for approval`,
      '  Is this plan good enough for a report? idea 1 (72/100 (Good concept))',
      `  reprise decide ${id} --accept`,
      `  reprise decide ${id} --stop`,
      `  reprise restart ${id} --reason "…" --instructions "…"`,
    ].join('\n'),
  );
  const answered = await home.run(['answer', id, 'Yes']);
  expect(answered.status).toBe(2);
  expect(answered.stderr).toContain(`${id} asks no question: planner waits for a decision`);
  expect(answered.stderr).toContain(`reprise decide ${id} --accept`);
  expect((await home.run(['decide', id, '--accept'])).status).toBe(0);
  expect((await handle.result()) as ResearchResult).toMatchObject({ outcome: 'viable' });
});

test('a missing key is listed with what to do; it cannot be sent as an answer, but done without', async () => {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  planned = async () => {
    reached.resolve();
    await released.promise;
  };
  const handle = await run.startResearch({ idea: 'An idea.', config: { research } });
  const id = handle.workflowId;
  await reached.promise;
  const replaced = run.replaceWorker({ OPENAI_API_KEY: undefined });
  released.resolve();
  await replaced;
  const key = await waitingFor(handle, 'key');
  expect(await listed(id)).toEqual([{ workflowId: id, task: 'An idea.', ...key }]);
  const { stdout } = await home.run(['inbox']);
  expect(stdout).toContain(
    [
      `${id} (An idea.): needs OPENAI_API_KEY on a worker (critic)`,
      '  set OPENAI_API_KEY where the worker runs; the run goes on by itself',
      `  to go on without it: reprise answer ${id} --question key-OPENAI_API_KEY --skip`,
    ].join('\n'),
  );
  const sent = await home.run(['answer', id, 'sk-this-is-it']);
  expect(sent.status).toBe(2);
  expect(sent.stderr).toContain('set OPENAI_API_KEY where the worker runs');
  const { events } = await handle.fetchHistory();
  expect(events?.some((event) => event.workflowExecutionSignaledEventAttributes)).toBe(false);
  expect((await home.run(['answer', id, '--skip'])).status).toBe(0);
  await waitingFor(handle, 'approval');
  const criticised = await handle.query<Array<{ type: string; text?: string }>>('events');
  expect(criticised).toContainEqual(
    expect.objectContaining({ type: 'warning', text: 'There is no criticism: openai: OPENAI_API_KEY is not set' }),
  );
});
