import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Browser, browserPath } from '../support/browser.ts';
import { Home } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { teamScript } from '../support/team-script.ts';

if (browserPath === undefined)
  console.warn(
    'SKIPPED: no chromium or google-chrome on the PATH, so that what is encrypted is not looked at in a browser',
  );

const question = 'When does lavender bloom?';

test.skipIf(browserPath === undefined)(
  'the Web UI of up shows what a run with a key keeps encrypted',
  async ({ onTestFinished }) => {
    const model = await startModelServer(teamScript());
    const home = await Home.make({
      REPRISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: model.openai,
    });
    const browser = await Browser.open(1400, 1000);
    onTestFinished(async () => {
      await browser.close();
      await home.remove();
      await model.close();
    });
    await home.startProcess(['up']).says(/Ready\./);
    expect(await home.run(['ask', '--id', 'garden', question])).toMatchObject({ status: 0 });

    const ui = home.holder?.uiAddress ?? '';
    const history = await (await fetch(`${ui}/api/v1/namespaces/default/workflows/garden/history`)).text();
    expect(history).toContain(Buffer.from('binary/encrypted').toString('base64'));
    expect(history).not.toContain(Buffer.from(question).toString('base64').slice(0, -4));
    const { runId } = JSON.parse(await (await fetch(`${ui}/api/v1/namespaces/default/workflows/garden`)).text())
      .workflowExecutionInfo.execution as { runId: string };

    await browser.goTo(`${ui}/namespaces/default/workflows/garden/${runId}`);
    await browser.shows(question);
    await browser.click('[data-testid="user-metadata-tab"]');
    await browser.shows('The final answer, by');
  },
);
