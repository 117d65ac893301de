import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { checkTeam } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startServer } from '../../src/embedded/server.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { createWorker } from '../../src/worker.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { Browser, browserPath } from '../support/browser.ts';

if (browserPath === undefined)
  console.warn('SKIPPED: no chromium or google-chrome on the PATH, so that the Web UI is not tried in a browser');

/** Where the picture for the documentation goes: `REPRISE_PICTURES=docs/pictures npm test -- test/web-ui`. */
const pictures = process.env['REPRISE_PICTURES'];

const example = fileURLToPath(new URL('../../examples/ask-others/5-design.yaml', import.meta.url));

test.skipIf(browserPath === undefined)(
  'in the Web UI a run that waits is found by its search attribute, shows its question, and is answered by the signal form',
  async ({ onTestFinished }) => {
    quietRuntime();
    const home = mkdtempSync(join(tmpdir(), 'reprise-ui-'));
    const { cli, bundle } = inject('temporal');
    const uiPort = await freePort();
    const server = await startServer({ cli, port: await freePort(), uiPort, log: join(home, 'server.log') });
    const { address } = server;
    const connection = await NativeConnection.connect({ address });
    const worker = await createWorker({
      connection,
      namespace: 'default',
      home,
      configFolder: home,
      variables: {},
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
      rmSync(home, { recursive: true, force: true });
    });
    const read = readConfigFile(example, checkTeam);
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const task = 'What should the portfolio website look like?';
    const run = await reprise.startOrchestration({ task, config: read.config }, { id: 'portfolio' });

    const query = encodeURIComponent('RepriseWaiting="human"');
    await browser.goTo(`http://127.0.0.1:${uiPort}/namespaces/default/workflows?query=${query}`);
    await browser.shows('portfolio');
    await browser.click('a', 'portfolio');
    await browser.shows('Results will appear upon completion');
    await browser.click('[data-testid="user-metadata-tab"]');
    // These stand in the details alone: the question itself is part of the run's input too.
    await browser.shows('It waits until');
    await browser.shows('a single-page design with smooth scrolling');
    if (pictures !== undefined) await browser.picture(join(pictures, 'web-ui-question.png'));

    await browser.click('button', 'More Actions');
    await browser.click('[role="menuitem"]', 'Send a Signal');
    await browser.click('dialog[open] .cm-content');
    await browser.type('{"answer":"(A), with a contact form."}');
    // On a busy machine the list of signals may close under the click.
    do {
      await browser.click('dialog[open] [data-testid="signal-select-button"]');
      await browser.click('dialog[open] [role="option"]', 'answer');
    } while (!(await browser.comes('dialog[open] button[type="submit"]', 'Submit')));
    await browser.click('dialog[open] button[type="submit"]', 'Submit');

    const { humanQa, outcome } = await run.result();
    expect(outcome).toBe('submitted');
    expect(humanQa).toEqual([
      {
        question: expect.stringContaining('single-page design') as string,
        answer: '(A), with a contact form.',
      },
    ]);
  },
);
