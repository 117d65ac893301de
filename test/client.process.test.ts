import { afterEach, describe, expect, inject, test } from 'vitest';
import {
  AnswerTooLongError,
  connect,
  newRunId,
  RunNotOpenError,
  UnreachableError,
  type RunSnapshot,
  type Reprise,
  type RunEvent,
} from '../src/client.ts';
import { askingTeam, asks } from './support/asking.ts';
import { startModelServer } from './support/model-server.ts';
import { Machine } from './support/processes.ts';
import { running, sharedRunning, type SharedRunning } from './support/running.ts';
import { answer, submit, teamOf, teamScript } from './support/team-script.ts';

const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

const shared = sharedRunning();

let cleanUp: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  cleanUp = [];
});

async function open(script = teamScript()): Promise<{ set: SharedRunning; reprise: Reprise }> {
  const set = shared(script);
  const reprise = await connect({ address: inject('temporal').address, taskQueue: set.taskQueue });
  cleanUp.push(() => reprise.close());
  return { set, reprise };
}

test('a run is started with one call, found by its id, and has a summary in the Web UI', async () => {
  const { reprise } = await open();
  const run = await reprise.startOrchestration({ task: 'First line.\nSecond line.', config });
  expect(run.id).toMatch(/^ask-[a-z\d]{8}$/);
  const result = await reprise.getOrchestration(run.id).result();
  expect(result).toMatchObject({ outcome: 'submitted', finalAgent: 'agent_a' });
  const description = await reprise.client.workflow.getHandle(run.id).describe();
  expect(await description.staticSummary()).toBe('First line.');
  expect(await run.isOpen()).toBe(false);
});

test('watch shows every event once and in order, the state, and the text in progress', async () => {
  const shown = Promise.withResolvers<void>();
  const { reprise } = await open(
    teamScript({
      answer: ({ agent }) => ({ ...answer(`A long answer of ${agent}. `.repeat(40)), pace: 50 }),
      decide: async () => {
        await shown.promise;
        return submit();
      },
    }),
  );
  const run = await reprise.startOrchestration({ task: 'Write.', config });
  const events: RunEvent[] = [];
  const texts: Record<string, string> = {};
  let last: RunSnapshot | undefined;
  for await (const look of run.watch()) {
    events.push(...look.events);
    for (const { agent, purpose, text } of look.texts)
      if (purpose === 'answer') texts[agent] = (texts[agent] ?? '') + text;
    if (look.state?.phase === 'deciding') shown.resolve();
    last = look;
  }
  const { events: count } = await run.result();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: 'final', outcome: 'submitted' });
  expect(last?.state).toMatchObject({ phase: 'done', attempt: 1, selectedAgent: 'agent_a' });
  const [piece] = /(A long answer of agent_b\. ){3}/.exec(texts['agent_b'] ?? '') ?? [];
  expect(piece).toBeDefined();
});

test('watch of a run that has ended shows all of it at once', async () => {
  const { reprise } = await open();
  const run = await reprise.startOrchestration({ task: 'Be quick.', config });
  const { events: count } = await run.result();
  const looks: RunSnapshot[] = [];
  for await (const look of reprise.getOrchestration(run.id).watch()) looks.push(look);
  expect(looks.map(({ events }) => events.length)).toEqual([count]);
});

test('watch outlasts the absence of a worker, and tells of it', async () => {
  const { set, reprise } = await open();
  const elsewhere = await connect({
    address: inject('temporal').address,
    taskQueue: `${set.taskQueue}-empty`,
  });
  cleanUp.push(() => elsewhere.close());
  const run = await elsewhere.startOrchestration({ task: 'Wait.', config });
  for await (const { trouble } of run.watch()) {
    if (trouble === undefined) continue;
    await reprise.client.workflow.getHandle(run.id).terminate();
    break;
  }
  await expect(run.result()).rejects.toThrow(/terminated/);
});

test('watch of an unknown run throws', async () => {
  const { reprise } = await open();
  await expect(reprise.getOrchestration('nobody').watch().next()).rejects.toThrow(/not found/i);
});

test("a person's restart is asked for", async () => {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { reprise } = await open(
    teamScript({
      decide: async ({ attempt }) => {
        reached.resolve();
        if (attempt === 1) await held.promise;
        return submit();
      },
    }),
  );
  const run = await reprise.startOrchestration({ task: 'Do it.', config });
  await reached.promise;
  await run.requestRestart('Too short.', 'Say more.');
  expect((await run.result()).restarts).toEqual([{ attempt: 1, reason: 'Too short.', instructions: 'Say more.' }]);
  held.resolve();
});

test('run ids differ, and sort by time', () => {
  const ids = Array.from({ length: 1000 }, () => newRunId('ask'));
  expect(new Set(ids).size).toBe(1000);
});

test('where nobody listens, connecting fails at once, with the address and what to run', async () => {
  await expect(connect({ address: '127.0.0.1:1' })).rejects.toThrow(
    'Temporal does not answer at 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1). Start it here, with a worker: npx reprise up. ' +
      'Or name the address of another server: connect({ address }) or TEMPORAL_ADDRESS',
  );
});

test('whoever gives a time has it waited for, and is told the same', async () => {
  const waiting = connect({ address: '127.0.0.1:1', connectTimeout: 200 });
  await expect(waiting).rejects.toThrow('Temporal does not answer at 127.0.0.1:1 (');
  await expect(waiting).rejects.toBeInstanceOf(UnreachableError);
});

describe('a run that continues as new', () => {
  const told = (runs: number): string[] =>
    Array.from({ length: runs }, (_, index) => [`begin ${index + 1}`, `end ${index + 1}`]).flat();
  const textsIn = (events: RunEvent[]): string[] =>
    events.map((event) => (event.type === 'notice' ? event.text : event.type));

  async function startChained(runs: number) {
    const { set, reprise } = await open();
    const workflowId = newRunId('chained');
    const options = { taskQueue: set.taskQueue, workflowId, args: [{ runs }] };
    const handle = await reprise.client.workflow.start('chained', options);
    return {
      run: reprise.getRun(workflowId),
      goOn: () => handle.client.getHandle(workflowId).signal('goOn'),
    };
  }

  test('is watched from run to run: every event once and in order', async () => {
    const { run, goOn } = await startChained(4);
    const events: RunEvent[] = [];
    for await (const look of run.watch({ everyMs: 10 })) {
      events.push(...look.events);
      if (look.events.some((event) => event.type === 'notice' && event.text.startsWith('begin'))) await goOn();
    }
    expect(textsIn(events)).toEqual(told(4));
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('is shown from its first run on by who comes late, and from a place on by who was there', async () => {
    const { run, goOn } = await startChained(3);
    const watching = run.watch();
    await watching.next();
    await watching.return(undefined);
    const place = await run.cursor();
    expect(place.seq).toBe(1);
    for await (const { events } of run.watch({ everyMs: 10 }))
      if (events.some((event) => event.type === 'notice' && event.text.startsWith('begin'))) await goOn();

    const all: RunEvent[] = [];
    for await (const { events } of run.watch()) all.push(...events);
    expect(textsIn(all)).toEqual(told(3));
    const later: RunEvent[] = [];
    for await (const { events } of run.watch({ after: place })) later.push(...events);
    expect(textsIn(later)).toEqual(told(3).slice(1));
  });
});

describe('questions for a person', () => {
  test('are found over all runs, the oldest first, and answered through their run', async () => {
    const { reprise } = await open(asks('What color theme?'));
    const runs = [];
    for (const task of ['One.', 'Two.']) {
      const run = await reprise.startOrchestration({ task, config: askingTeam(300) });
      await expect.poll(() => run.pendingQuestions().catch(() => [])).toHaveLength(1);
      runs.push(run);
    }
    const ids = runs.map(({ id }) => id);
    await expect.poll(async () => (await reprise.waiting()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const mine = (await reprise.inbox()).filter(({ workflowId }) => ids.includes(workflowId));
    expect(mine.map(({ workflowId }) => workflowId)).toEqual(ids);
    expect(mine[0]).toMatchObject({ from: 'agent_a', question: 'What color theme?' });
    for (const { workflowId, questionId } of mine)
      await reprise.getRun(workflowId).answer({ questionId, answer: 'Dark' });
    for (const run of runs) expect((await run.result()).answer).toBe('Told: Dark.');
  });

  test('of a run whose worker is away are left out, and it is named', async () => {
    const set = await running(asks('What color theme?'));
    const reprise = await connect({ address: inject('temporal').address, taskQueue: set.taskQueue });
    cleanUp.push(() => reprise.close());
    const run = await reprise.startOrchestration({ task: 'Wait.', config: askingTeam(300) });
    await expect.poll(async () => (await reprise.inbox()).map(({ workflowId }) => workflowId)).toContain(run.id);
    await set[Symbol.asyncDispose]();
    const silent: string[] = [];
    const found = await reprise.inbox((id) => silent.push(id));
    expect(found.map(({ workflowId }) => workflowId)).not.toContain(run.id);
    expect(silent).toContain(run.id);
    await reprise.client.workflow.getHandle(run.id).terminate();
  });

  test('are none on a server that has never had a worker', async () => {
    const machine = new Machine({});
    cleanUp.push(() => machine.killServer());
    await machine.startServer();
    const reprise = await connect({ address: machine.address });
    cleanUp.push(() => reprise.close());
    expect(await reprise.inbox()).toEqual([]);
  });

  test('an answer to an unknown run, to one that has ended, or one that is too long throws', async () => {
    const { reprise } = await open();
    const hi = { answer: 'Hi' };
    await expect(reprise.getRun('nobody').answer(hi)).rejects.toThrow('There is no run of the id nobody');
    const run = await reprise.startOrchestration({ task: 'Be quick.', config });
    await run.result();
    await expect(run.answer(hi)).rejects.toThrow(new RunNotOpenError(`The run ${run.id} has ended (completed)`));
    await expect(run.answer({ answer: 'x'.repeat(500_001) })).rejects.toThrow(AnswerTooLongError);
  });
});

describe('a session', () => {
  test('takes a turn for each text that is sent, one at a time, and ends when it is closed', async () => {
    const { reprise } = await open();
    const session = reprise.getSession(newRunId('chat'), { config });
    const turns = [await session.send('One.'), ...(await Promise.all([session.send('Two.'), session.send('Three.')]))];
    // Of two that are sent at once, either may arrive first.
    expect(new Set(turns.map(({ turn }) => turn))).toEqual(new Set([1, 2, 3]));
    await session.close();
    expect(await session.result()).toMatchObject({ turns: 3, outcome: 'answered' });
    await expect(session.send('Four.')).rejects.toThrow(RunNotOpenError);
    await expect(session.close()).rejects.toThrow(RunNotOpenError);
  });

  test('with a wrong configuration fails its first turn with what is wrong', async () => {
    const { reprise } = await open();
    // @ts-expect-error -- a key that there is not
    const session = reprise.getSession(newRunId('chat'), { config: { agnets: [] } });
    await expect(session.send('Hi.')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('did you mean agents?') as string },
    });
  });

  test('whose server dies under a turn takes it once', async () => {
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const model = await startModelServer(
      teamScript({
        decide: async () => {
          reached.resolve();
          await held.promise;
          return submit();
        },
      }),
    );
    const machine = new Machine({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
    cleanUp.push(
      () => model.close(),
      () => machine.killServer(),
      () => machine.killWorker(),
    );
    await machine.startServer();
    await machine.startWorker();
    const reprise = await connect({ address: machine.address });
    cleanUp.push(() => reprise.close());
    const session = reprise.getSession('once', { config });
    const turn = session.send('Once.');
    await reached.promise;
    await machine.killServer();
    await machine.startServer();
    held.resolve();
    expect(await turn).toMatchObject({ turn: 1 });
    expect(await session.send('Twice.')).toMatchObject({ turn: 2 });
  });
});
