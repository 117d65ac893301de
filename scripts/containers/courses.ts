import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Reprise } from '../../src/client.ts';
import { liveWorkers } from '../../src/local/workers.ts';
import { livePollers } from '../../src/client/pollers.ts';
import { teamOf } from '../../test/support/team-script.ts';
import type { CountingModel } from './model.ts';
import type { Ended } from './programs.ts';
import { docker } from './programs.ts';
import type { Stack } from './stack.ts';
import { must, type Table } from './table.ts';

const program = join(dirname(dirname(import.meta.dirname)), 'bin', 'reprise.mjs');

const team = teamOf(['agent1', 'agent2', 'agent3'], { type: 'openai', model: 'scripted-1' });

/** How many runs are open at each disturbance. */
const atOnce = 6;

/** How long runs may take to get somewhere, in milliseconds. */
const timeoutMs = 180_000;

const up = ['up', '-d', '--build', '--wait', '--scale', 'worker=2'];

/** Uses the services as the documentation says, and disturbs them while runs are open. */
export async function course(stack: Stack, model: CountingModel, table: Table): Promise<void> {
  const person = new Person(stack.address);
  const runs: string[] = [];
  /** Starts runs, and waits until each of them waits for a reply that is kept back. */
  const begin = async (name: string, kind: 'vote' | 'present', perRun: number): Promise<void> => {
    model.hold(kind);
    for (let each = 1; each <= atOnce; each++) {
      const id = `${name}-${each}`;
      const ended = await person.runs('ask', `What is ${id}?`, '--config', 'team.json', '--id', id, '--detach');
      must(ended.code === 0, ended.output);
      runs.push(id);
    }
    await until(`${atOnce * perRun} calls under way`, async () => model.held() >= atOnce * perRun);
  };
  const finish = async (): Promise<string> => {
    model.release();
    const { lost, result } = await person.results(runs);
    must(lost.length === 0, `lost: ${lost.join(', ')}`);
    return result;
  };
  try {
    await table.row(`docker compose ${up.join(' ')}`, async () => {
      const startedAt = Date.now();
      await stack.compose(...up);
      const polling = await person.pollers();
      must(polling.length === 2, `${polling.length} workers poll`);
      return `healthy, and 2 workers poll, after ${Math.round((Date.now() - startedAt) / 1000)} s`;
    });
    await table.row('reprise ask, without keys on the host', async () => {
      const { code, output } = await person.runs('ask', 'How deep is the harbour?', '--config', 'team.json');
      must(code === 0 && output.includes('The final answer, by agent1.'), output);
      return 'answered';
    });
    await table.row('a run over HTTP, with the token alone', async () => {
      const { token, url } = stack.http;
      const asked = async (path: string, headers: object = {}, body?: object): Promise<string> => {
        const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
        const sent = body && { method: 'POST', body: JSON.stringify(body) };
        const response = await fetch(`${url}${path}`, { headers: given, ...sent });
        return `${response.status} ${await response.text()}`;
      };
      const refused = await asked('/api/v1/runs', { authorization: 'Bearer no-token-of-this-server' });
      must(refused.startsWith('401 '), refused);
      // Another question than any other run's: calls are told from each other by what they ask.
      const input = { task: 'How wide is the harbour?', config: team };
      const begun = await asked('/api/v1/runs', { 'idempotency-key': 'http' }, { type: 'orchestration', input });
      must(begun.startsWith('201 '), begun);
      await stack.compose('restart', 'http');
      await stack.compose(...up);
      const result = await asked('/api/v1/runs/http/result?wait=60');
      must(result.startsWith('200 ') && result.includes('The final answer, by agent1.'), result);
      return 'answered by a server that was restarted meanwhile';
    });
    await table.row('kill -9 of a worker', async () => {
      await begin('killed', 'present', 1);
      const [worker = ''] = await stack.containers('worker');
      await docker('kill', '--signal', 'KILL', worker);
      await until('calls are given up', async () => model.givenUp() > 0);
      await stack.compose(...up);
      return `${await finish()}, ${model.givenUp()} calls under way were lost with it`;
    });
    await table.row('restart of Temporal', async () => {
      await begin('restarted', 'vote', 3);
      await stack.compose('restart', 'temporal');
      await stack.compose('up', '-d', '--wait', 'temporal');
      return finish();
    });
    await table.row('down, while calls are under way', async () => {
      await begin('down', 'vote', 3);
      const down = stack.compose('down');
      await pause(3000);
      model.release();
      await down;
      return 'the workers let them finish';
    });
    await table.row('ask where the containers’ workers do not poll yet', async () => {
      await stack.compose('up', '-d', 'namespace');
      await until(
        'the namespace is there',
        async () => (await stack.containers('namespace')).length > 0 && (await person.isServed()),
      );
      const { code, output } = await person.runs(
        'ask',
        'Who is early?',
        '--config',
        'team.json',
        '--id',
        'early',
        '--detach',
      );
      must(code === 0 && output.includes('Nobody polls the task queue'), output);
      runs.push('early');
      return 'says that nobody polls, and starts nothing';
    });
    await table.row('up again', async () => {
      await stack.compose(...up);
      return finish();
    });
    await table.row('workers started on the host', async () => {
      const own = [...liveWorkers(person.home), ...(await person.pollers()).filter(({ isOwn }) => isOwn)];
      must(own.length === 0, `${own.length}`);
      return '0';
    });
    await table.row('calls that were paid for twice', async () => {
      must(model.paidTwice().length === 0, model.paidTwice().join('; '));
      return `0 of ${model.calls()}`;
    });
    await table.row('volumes after down and up', async () => {
      const volumes = await stack.volumes();
      must(volumes.length === 1, volumes.join(', '));
      return volumes.join(', ');
    });
    await table.row('what the logs complain of', async () => {
      const logs = await stack.compose('logs', '--no-color', 'namespace', 'worker', 'http', 'database', 'schema');
      const complaints = logs
        .split('\n')
        .filter((line) => /deprecated|was open to other users|permission denied/i.test(line));
      must(complaints.length === 0, complaints.join('; '));
      return 'nothing';
    });
  } finally {
    model.release();
    await person.leave();
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await isSo()); await pause(500))
    must(Date.now() < end, `waited in vain for: ${what}`);
}

/** Somebody on the host, who has no keys. */
class Person {
  readonly #folder = mkdtempSync(join(tmpdir(), 'reprise-person-'));
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
    writeFileSync(join(this.#folder, 'team.json'), JSON.stringify(team));
  }

  get home(): string {
    return join(this.#folder, '.reprise');
  }

  async runs(...words: string[]): Promise<Ended> {
    const { HOME, PATH } = process.env;
    const child = spawn(process.execPath, [program, ...words], {
      cwd: this.#folder,
      env: { HOME, PATH, TEMPORAL_ADDRESS: this.#address },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** What has become of runs, in words, and those that have not ended well. */
  async results(ids: string[]): Promise<{ lost: string[]; result: string }> {
    return this.#asks(async ({ client }) => {
      const ended = ids.map(async (id) => {
        const result = client.workflow.getHandle(id).result() as Promise<{ outcome: string }>;
        const late = pause(timeoutMs, { outcome: 'not ended' }, { ref: false });
        const { outcome } = await Promise.race([result, late]).catch((error: Error) => ({ outcome: error.message }));
        return { id, outcome };
      });
      const all = await Promise.all(ended);
      const lost = all.filter(({ outcome }) => outcome !== 'submitted').map(({ id, outcome }) => `${id} (${outcome})`);
      return { lost, result: `0 of ${all.length} runs lost` };
    });
  }

  pollers(): ReturnType<typeof livePollers> {
    return this.#asks(({ client }) => livePollers(client.workflowService, 'default'));
  }

  async isServed(): Promise<boolean> {
    return this.pollers().then(
      () => true,
      () => false,
    );
  }

  async leave(): Promise<void> {
    await this.runs('down');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #asks<T>(question: (reprise: Reprise) => Promise<T>): Promise<T> {
    await using reprise = await connect({ address: this.#address, variables: {} });
    return await question(reprise);
  }
}
