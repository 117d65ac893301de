import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { inject, type TestContext } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { freePort, hiddenPlace } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { uiProxy } from '../../src/local/ui-proxy.ts';
import { createWorker } from '../../src/worker.ts';
import { everything } from '../support/guard.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { Browser, browserPath } from '../support/browser.ts';

if (browserPath === undefined)
  console.warn('SKIPPED: no chromium or google-chrome on the PATH, so that the Web UI is not tried in a browser');

/** Where pictures for the documentation go: `REPRISE_PICTURES=docs/pictures npm run test:all -- test/web-ui`. */
export const pictures = process.env['REPRISE_PICTURES'];

/** A Temporal server with its Web UI, a worker on it, and a browser, until the test is over. */
export async function openWebUi(
  onTestFinished: TestContext['onTestFinished'],
  variables: NodeJS.ProcessEnv = {},
): Promise<{ reprise: Reprise; browser: Browser; uiPort: number; home: string }> {
  quietRuntime();
  const home = mkdtempSync(join(tmpdir(), 'reprise-ui-'));
  const { cli, bundle } = inject('temporal');
  const uiPort = await freePort();
  const ui = await hiddenPlace();
  const server = await startServer({ cli, port: await freePort(), ui, log: join(home, 'server.log') });
  const proxy = uiProxy(ui, uiPort).listen(uiPort, '127.0.0.1');
  const { address } = server;
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection,
    namespace: 'default',
    home,
    configFolder: home,
    allow: everything,
    variables,
    bundle: { codePath: bundle, orchestrators: noOrchestrators },
  });
  const ended = worker.run();
  const reprise = await connect({ address });
  const browser = await Browser.open(1400, 1000);
  onTestFinished(async () => {
    await Promise.all([browser.close(), reprise.close()]);
    worker.shutdown();
    await ended;
    await connection.close();
    const gone = once(server.process, 'exit');
    server.process.kill();
    await gone;
    proxy.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { reprise, browser, uiPort, home };
}
