import { createServer, request as httpRequest, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterEach, describe, expect, test } from 'vitest';
import {
  connect,
  newRunId,
  RequestRefusedError,
  RunExistsError,
  RunNotOpenError,
  UnreachableError,
  type Reprise,
  type RunEvent,
  type TextPiece,
} from '../../src/client.ts';
import { askingTeam, asks } from '../support/asking.ts';
import type { Script } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { ownerToken, serving, type Serving } from '../support/serving.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

let cleanUp: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  cleanUp = [];
});

async function begin(script: Script): Promise<{ reprise: Reprise; server: Serving }> {
  const server = await serving(running(script));
  cleanUp.push(() => server[Symbol.asyncDispose]());
  return { reprise: await connect({ url: server.url, token: ownerToken }), server };
}

const team = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

test('a program does over HTTP what it does on Temporal: start, watch, answer, and wait for the result', async () => {
  const { reprise } = await begin(asks('Which color theme?'));
  const id = newRunId('ask');
  const run = await reprise.startOrchestration({ task: 'Build a site', config: askingTeam(600) }, { id });
  expect(run.id).toBe(id);
  const events: RunEvent[] = [];
  let looks = 0;
  for await (const snapshot of run.watch({ everyMs: 50 })) {
    looks += 1;
    events.push(...snapshot.events);
    for (const event of snapshot.events)
      if (event.type === 'question') {
        expect(await run.pendingQuestions()).toHaveLength(1);
        await expect.poll(async () => (await reprise.waiting()).map((each) => each.id)).toContain(id);
        expect(await run.state()).toMatchObject({ workflow: 'orchestration' });
        await run.answer({ questionId: event.questionId, answer: 'Dark mode' });
      }
  }
  // It waits between looks, and does not turn in a circle.
  expect(looks).toBeLessThan(1000);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: 'final' });
  const result = await run.result();
  expect(result).toMatchObject({ answer: 'Told: Dark mode.', outcome: 'submitted' });
  expect(await run.show()).toMatchObject({ id, result });
  expect(await run.isOpen()).toBe(false);
  expect(await run.events(events.length)).toEqual(events.slice(-1));
  expect(await run.cursor()).toMatchObject({ seq: events.length });
  expect(await reprise.getRun(id).describe()).toEqual({ id, workflow: 'orchestration', status: 'completed' });
  await expect.poll(async () => (await reprise.list({ limit: 1000 })).map((each) => each.id)).toContain(id);
  await expect.poll(async () => (await reprise.stats()).orchestration.runs).toBeGreaterThan(0);
});

test('texts in progress come piece by piece, each character once', async () => {
  const text = 'One two three four five six. '.repeat(30);
  const seen = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The text begins with the fifth event. The model goes on once a piece of it was seen, and another one.
  const hold = async (index: number): Promise<void> => seen[[6, 12].indexOf(index)]?.promise;
  const { reprise } = await begin(teamScript({ present: () => ({ text, hold }) }));
  const run = await reprise.startOrchestration({ task: 'Build', config: team });
  const pieces: TextPiece[] = [];
  for await (const { texts } of run.watch({ everyMs: 50 })) {
    pieces.push(...texts.filter(({ purpose }) => purpose === 'present'));
    for (const each of seen.slice(0, pieces.length)) each.resolve();
  }
  expect(pieces.length).toBeGreaterThan(1);
  expect(text.startsWith(pieces.map((each) => each.text).join(''))).toBe(true);
});

test('a session begins with its first turn, takes each once, and is closed', async () => {
  const { reprise } = await begin((seen) => ({ text: `${seen.messages.length}` }));
  const session = reprise.getSession(newRunId('chat'));
  const config = {
    modules: [
      { module: 'OpenAILLM', id: 'llm' },
      { module: 'SimpleToolOrchestrator', id: 'one' },
    ],
  };
  expect(config.modules).toHaveLength(2);
  await expect(session.send('')).rejects.toThrow(RequestRefusedError);
  const [one, again] = await Promise.all([session.send('One.', 'turn-1'), session.send('One.', 'turn-1')]);
  expect(again).toEqual(one);
  expect(one.turn).toBe(1);
  expect((await reprise.getSession(session.id).send('Two.')).turn).toBe(2);
  await session.close();
  expect(await session.result()).toMatchObject({ outcome: 'answered' });
  await expect(session.stopTurn()).rejects.toThrow(RunNotOpenError);
});

describe('errors are those of the library', () => {
  test('of runs', async () => {
    const { reprise } = await begin(() => ({ status: 400 }));
    const nobody = reprise.getRun('nobody');
    await expect(nobody.answer({ answer: 'x' })).rejects.toThrow(
      new RunNotOpenError('There is no run of the id nobody'),
    );
    await expect(nobody.openType()).rejects.toThrow(new RunNotOpenError('There is no run of the id nobody'));
    await expect(nobody.cancel()).rejects.toThrow(RunNotOpenError);
    const run = await reprise.startOrchestration({ task: 'Build', config: team });
    const failure = (await run.result().catch((error: unknown) => error)) as Error;
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect(failure.cause).toBeInstanceOf(ApplicationFailure);
    expect(failure.cause).toMatchObject({ message: expect.stringContaining('No agent has answered') as string });
    const another = reprise.startOrchestration({ task: 'Another' }, { id: run.id });
    await expect(another).rejects.toThrow(new RunExistsError(run.id));
  });

  test('of the connection, and of what only Temporal has', async () => {
    const { reprise, server } = await begin(teamScript());
    await expect(connect({ url: server.url, token: 'wrong-wrong-wrong-wrong' })).rejects.toThrow(/A token is missing/);
    const elsewhere = createServer((_, answer) => answer.writeHead(404, 'Not Found').end('no such page')).listen(0);
    const { port } = elsewhere.address() as AddressInfo;
    const wrong = connect({ url: `http://127.0.0.1:${port}`, token: 'x' });
    await expect(wrong).rejects.toThrow(/limit=1 is not answered by Reprise \(404 Not Found: no such page\)$/);
    elsewhere.close();
    const other = createServer((_, answer) => answer.end('{"data":[]}')).listen(0);
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await expect(connect({ url, token: 'x' })).rejects.toThrow(
      /does not answer at .* \(something else answers there\)/,
    );
    other.close();
    const away = connect({ url: 'http://127.0.0.1:1', token: 'x' });
    await expect(away).rejects.toThrow(UnreachableError);
    await expect(away).rejects.toThrow(/^Reprise does not answer at http:\/\/127\.0\.0\.1:1 \(.+\)\. Start it: /);
    expect(() => reprise.client).toThrow(/no Temporal client/);
    await expect(reprise.getRun('x').terminate()).rejects.toThrow(/use cancel\(\)/);
    await expect(reprise.startSolve({ problem: 'x' }, { priority: { priorityKey: 1 } })).rejects.toThrow(/priority/);
  });
});

/** A way to a server that loses the answer to every other request. */
async function losing(url: string): Promise<{ url: string; proxy: Server }> {
  let count = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { headers, method, url: path } = incoming;
    const isLost = count++ % 2 === 1;
    const { host } = new URL(url);
    const passed = httpRequest(`${url}${path}`, { method, headers: { ...headers, host } }, (answer) => {
      if (isLost) return void answer.resume().once('end', () => outgoing.destroy());
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanUp.push(() => (proxy.closeAllConnections(), proxy.close()));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, proxy };
}

test('an answer that is lost starts no second run and takes no second turn', async () => {
  const { reprise, server } = await begin(() => ({ text: 'Done.' }));
  const way = await connect({ url: (await losing(server.url)).url, token: ownerToken });
  const id = newRunId('chat');
  const session = await way.startSession({}, { id });
  expect((await session.send('One.', 'turn-1')).turn).toBe(1);
  expect((await reprise.getSession(id).send('Two.')).turn).toBe(2);
  await reprise.getSession(id).close();
});
