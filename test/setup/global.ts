import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { findTemporalCli } from '../../src/local/temporal-cli.ts';
import { bundle as bundleOf } from '../../src/worker/bundler.ts';
import { keptBundle, ownParts } from '../../src/worker/workflow-bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** @property home where bundles are kept for the whole run, the one of the workflows alone among them */
    temporal: { address: string; bundle: string; cli: string; home: string };
  }
}

/** One Temporal server and one workflow bundle for the whole run; rules have no need of them. */
export default async function setup({ provide, vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (vitest.projects.every(({ name }) => name === 'rules' || name === 'mocked')) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'reprise-test-'));
  const cli = await findTemporalCli((text) => console.error(text));
  const server = await startServer({
    cli: advisingNewRunsSoon(cli, folder),
    port: await freePort(),
    log: join(folder, 'temporal.log'),
  });
  const bundled = await bundleOf(fileURLToPath(new URL('./workflows.ts', import.meta.url)), ownParts);
  if ('error' in bundled) throw new Error(bundled.error);
  const bundle = keptBundle(folder);
  mkdirSync(dirname(bundle));
  writeFileSync(bundle, bundled.code);
  provide('temporal', { address: server.address, bundle, cli, home: folder });
  return async () => {
    const ended = new Promise((resolve) => server.process.once('exit', resolve));
    server.process.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

/**
 * Sessions go on in a new run when the server advises it, which it otherwise does after 4096 events: after minutes. A run takes
 * 1000 signals rather than 10,000, and may be paused.
 */
function advisingNewRunsSoon(cli: string, folder: string): string {
  const script = join(folder, 'temporal');
  const advice =
    '--dynamic-config-value limit.historyCount.suggestContinueAsNew=300 ' +
    '--dynamic-config-value history.maximumSignalsPerExecution=1000 ' +
    '--dynamic-config-value frontend.WorkflowPauseEnabled=true';
  writeFileSync(script, `#!/bin/sh\nexec '${cli}' "$@" ${advice}\n`, { mode: 0o755 });
  return script;
}
