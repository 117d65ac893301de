import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { findTemporalCli } from '../../src/local/temporal-cli.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';

/** A Temporal server in memory, and what others need: the path of Temporal's CLI, and that of the bundled workflows. */
export interface Place extends AsyncDisposable {
  address: string;
  bundle: string;
  cli: string;
}

export async function startPlace(): Promise<Place> {
  const home = mkdtempSync(join(tmpdir(), 'reprise-replay-'));
  const cli = await findTemporalCli(console.error);
  const { codePath } = await workflowBundle(home, home);
  const server = await startServer({ cli, port: await freePort(), log: join(home, 'temporal.log') });
  return {
    address: server.address,
    bundle: codePath,
    cli,
    async [Symbol.asyncDispose]() {
      const gone = once(server.process, 'exit');
      server.process.kill();
      await gone;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
