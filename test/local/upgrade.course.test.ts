import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { freePort } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { localWorker } from '../../src/local/local-worker.ts';
import type { WorkerVersion } from '../../src/local/worker-version.ts';
import { currentBuild } from '../../src/worker/deployment.ts';

test('a rolling upgrade: open runs end where they began, new ones go to the newer workers, and older ones end by themselves', async ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-upgrade-'));
  const { bundle, cli } = inject('temporal');
  const server = await startServer({ cli, port: await freePort(), log: join(folder, 'temporal.log') });
  const { address } = server;
  const reprise = await connect({ address });
  onTestFinished(async () => {
    await reprise.close();
    server.process.kill();
    await once(server.process, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a worker of a release. All have one store, as those of a cluster do. */
  const start = async (buildId: string) => {
    const version: WorkerVersion = {
      buildId,
      behavior: 'PINNED',
      isOwn: false,
      code: buildId,
      environment: '',
      allow: [],
      extensions: folder,
      codePath: bundle,
      orchestrators: noOrchestrators,
    };
    const up = localWorker(
      {
        home: join(folder, 'home'),
        isOwn: false,
        address,
        isNamed: true,
        namespace: 'default',
        version,
        background: false,
        untilReplaced: true,
        variables: process.env,
        say: () => {},
      },
      undefined,
    );
    const ready = Promise.withResolvers<void>();
    const ended = up.run(ready.resolve);
    await Promise.race([ready.promise, ended]);
    return { up, ended };
  };
  const current = () => currentBuild(reprise.client.workflowService, 'default');
  const versionOf = async (id: string): Promise<string | undefined> => {
    const { raw } = await reprise.client.workflow.getHandle(id).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  };
  const untilServed = async (id: string): Promise<string | undefined> => {
    for (;;) {
      const version = await versionOf(id);
      if (version !== undefined) return version;
      await pause(50);
    }
  };

  const old = await start('release-1');
  const before = await reprise.startSession({}, { id: 'before' });
  expect(await untilServed('before')).toBe('release-1');

  const newer = await start('release-2');
  expect(await current()).toBe('release-2');
  // A part of the server may hear of it a moment later, and give one more run to the old version.
  let after = before;
  await expect
    .poll(async () => {
      if (after !== before) await reprise.client.workflow.getHandle(after.id).signal('close');
      after = await reprise.startSession({}, { id: `after-${Date.now()}` });
      return untilServed(after.id);
    })
    .toBe('release-2');

  // A container of the old release crashes and is started again.
  await old.up.end('stop');
  const again = await start('release-1');
  expect(await current()).toBe('release-2');

  await reprise.client.workflow.getHandle(before.id).signal('close');
  expect(await before.result()).toMatchObject({ outcome: 'answered' });
  expect(await versionOf('before')).toBe('release-1');

  await again.ended;
  expect(await after.isOpen()).toBe(true);
  await reprise.client.workflow.getHandle(after.id).signal('close');
  await after.result();
  await newer.up.end('stop');
});
