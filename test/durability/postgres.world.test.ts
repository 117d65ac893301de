import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { Reprise } from '../../src/client/reprise.ts';
import { TemporalRuns } from '../../src/client/temporal/runs.ts';
import type { Environment } from '../../src/util/environment.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { createWorker, StoreUnavailableError } from '../../src/worker.ts';
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts';
import { running } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

describe.skipIf(!hasPostgres('test/durability/postgres.world.test.ts'))('with the store in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  test('replies that come while the database is away are kept until it is back, and paid for once', async () => {
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const script = teamScript();
    let calls = 0;
    await using run = await running(
      async (seen) => {
        if (++calls === 2) held.resolve();
        await released.promise;
        return script(seen);
      },
      { DATABASE_URL: server.url },
    );
    const config = teamOf(['agent_a', 'agent_b'], { type: 'openai', model: 'gpt-4o' });
    const handle = await run.start({ task: 'What is the answer?', config });
    await held.promise;
    await server.kill();
    released.resolve();
    await expect.poll(() => run.model.requests.filter(({ answered }) => answered).length).toBe(2);
    await server.restart();
    expect((await handle.result()) as OrchestrationResult).toMatchObject({ outcome: 'submitted', warnings: [] });
    const asked = run.model.requests.map(({ raw }) => raw);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('a command of another home is trusted that has the same store', async () => {
    await using run = await running(teamScript(), { DATABASE_URL: server.url });
    const { client, taskQueue } = run;
    const home = mkdtempSync(join(tmpdir(), 'reprise-home-'));
    const resultBy = (environment: Environment): Promise<OrchestrationResult> => {
      const reprise = new Reprise(new TemporalRuns(client, client.connection, { taskQueue, home, environment }));
      const backend = { type: 'openai' as const, model: 'gpt-4o', base_url: run.model.openai, api_key_env: 'OTHER' };
      const config = { agents: [{ id: 'agent_a', backend }] };
      return reprise.startOrchestration({ task: 'What is the answer?', config }).then((started) => started.result());
    };
    await run.replaceWorker({ DATABASE_URL: server.url, OTHER: 'key' });
    expect(await resultBy({ DATABASE_URL: server.url })).toMatchObject({ outcome: 'submitted' });
    await expect(resultBy({})).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
    rmSync(home, { recursive: true, force: true });
  });

  test('a worker does not start on a wrong password, and does not tell it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'reprise-home-'));
    const { address, bundle } = inject('temporal');
    const connection = await NativeConnection.connect({ address });
    const DATABASE_URL = server.url.replace(server.password, 'another-secret');
    const settings = { connection, namespace: 'default', home, configFolder: home, variables: { DATABASE_URL } };
    const error: unknown = await createWorker({
      ...settings,
      bundle: { codePath: bundle, orchestrators: noOrchestrators },
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(String(error)).toMatch(
      /PostgreSQL at 127\.0\.0\.1:\d+\/reprise, cannot be used: password authentication failed/,
    );
    expect(String(error)).not.toContain('another-secret');
    await connection.close();
    rmSync(home, { recursive: true, force: true });
  });
});
