import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Reprise } from '../../src/client.ts';
import { startServer, type RunningServer } from '../../src/local/server.ts';
import { Home } from '../support/cli.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { teamOf, teamScript } from '../support/team-script.ts';
import { ownPort } from '../support/own-port.ts';

/** A server on this machine that is nobody's in particular. */
let server: RunningServer;
/** Somebody without keys. */
let person: Home;
let reprise: Reprise;
beforeAll(async () => {
  person = await Home.make();
  server = await startServer({
    cli: inject('temporal').cli,
    port: await ownPort(),
    log: join(person.folder, 'temporal.log'),
  });
  person.address = server.address;
  reprise = await person.client();
  const team = teamOf(['agent1', 'agent2'], { type: 'openai', model: 'scripted-1' });
  writeFileSync(join(person.folder, 'team.json'), JSON.stringify(team));
  writeFileSync(join(person.folder, 'towns.csv'), 'town,people\n');
});
afterAll(async () => {
  await reprise.close();
  await person.remove();
  const ended = once(server.process, 'exit');
  server.process.kill();
  await ended;
});

/** What a run was started with. */
async function inputOf(id: string): Promise<unknown> {
  const { events } = await reprise.client.workflow.getHandle(id).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString());
}

const withFile = (id: string): string[] => ['solve', 'Who leads?', '--attach', 'towns.csv', '--id', id, '--detach'];
const sent = { attachments: [{ name: 'towns.csv', data: Buffer.from('town,people\n').toString('base64') }] };

describe('where somebody’s worker polls', () => {
  let other: Home;
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModelServer(teamScript());
    other = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
    other.address = server.address;
    const worker = other.startProcess(['worker']);
    await worker.says(/Worker on/);
    return async () => {
      const gone = once(worker.process, 'exit');
      worker.process.kill('SIGKILL');
      await gone;
      await other.remove();
      await model.close();
    };
  });

  test('its keys are used, and no worker is started', async () => {
    const ended = await person.run(['ask', 'Whose?', '--config', 'team.json']);
    expect(ended).toMatchObject({ status: 0, stdout: 'The final answer, by agent1.\n' });
    expect(person.workers).toEqual([]);
  });

  test('files are sent to it', async () => {
    expect(await person.run(withFile('to-somebody'))).toMatchObject({ status: 0 });
    expect(await inputOf('to-somebody')).toMatchObject(sent);
  });
});

describe('where the namespace is marked', () => {
  beforeAll(async () => {
    const { workflowService } = reprise.client;
    const data = { 'reprise.workers': 'elsewhere' };
    await workflowService.updateNamespace({ namespace: 'default', updateInfo: { data } });
  });

  test.each([
    ['a model', ['--model', 'http://127.0.0.1:1/v1#nobody']],
    ['a configuration', ['--config', 'team.json']],
    ['nothing', []],
  ])('nothing is started and no key is missed, and the run waits for a worker: with %s', async (_, words) => {
    const { status, stderr } = await person.run(['ask', 'Whose?', ...words, '--detach']);
    expect(stderr).toContain(`Nobody polls the task queue "reprise" at ${server.address}: runs wait for a worker`);
    expect(status).toBe(0);
    expect(person.workers).toEqual([]);
  });

  test('files are sent', async () => {
    expect(await person.run(withFile('to-nobody'))).toMatchObject({ status: 0 });
    expect(await inputOf('to-nobody')).toMatchObject(sent);
  });

  test('up starts no worker beside those of the namespace', async () => {
    mkdirSync(person.path, { recursive: true, mode: 0o700 });
    const { status, stderr } = await person.runProcess(['up']);
    expect(stderr).toContain(`The runs at ${server.address} have workers of their own, and up starts none for them`);
    expect(status).toBe(2);
  });
});
