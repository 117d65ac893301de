import { expect, test } from 'vitest';
import { agentOf, call, toolResults, writeKit } from '../support/agent-script.ts';
import { browserPath } from '../support/browser.ts';
import { startModelServer } from '../support/model-server.ts';
import { openWebUi } from './stage.ts';

test.skipIf(browserPath === undefined)(
  'in the Web UI a tool call that waits for approval shows its arguments as they are, and the signal form decides about it',
  async ({ onTestFinished }) => {
    const model = await startModelServer((seen) => {
      const [result] = toolResults(seen);
      return result === undefined
        ? call('write', { text: '```\n# Allowed already</pre><h1>Allowed</h1>', to: '\u202Egro' })
        : { text: `It says: ${result}` };
    });
    onTestFinished(() => model.close());
    const variables = { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai };
    const { browser, home, reprise, uiPort } = await openWebUi(onTestFinished, variables);
    writeKit(home);
    const config = agentOf('openai', { simple: {} }, ['kit'], { attended: true });
    const run = await reprise.startSession({ config, text: 'Go.' }, { id: 'leave' });
    await expect.poll(() => run.pendingQuestions()).toHaveLength(1);

    const query = encodeURIComponent('RepriseWaiting="human"');
    await browser.goTo(`http://127.0.0.1:${uiPort}/namespaces/default/workflows?query=${query}`);
    await browser.click('a', 'leave');
    await browser.shows('Results will appear upon completion');
    await browser.click('[data-testid="user-metadata-tab"]');
    await browser.shows('agent asks for approval to run write');
    await browser.shows('"text": "```\\n# Allowed already');
    await browser.shows('"to": "\\u202egro"');
    await browser.shows('reprise approve leave t1 --allow');
    const headings = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]
      .flatMap((each) => [...each.querySelectorAll('h1')]).map((each) => each.innerText)`;
    expect(await browser.evaluate<string[]>(headings)).not.toContain('Allowed');

    await browser.click('button', 'More Actions');
    await browser.click('[role="menuitem"]', 'Send a Signal');
    await browser.click('dialog[open] .cm-content');
    await browser.type('{"id":"t1","action":"deny","reason":"Not from here"}');
    // On a busy machine the list of signals may close under the click.
    do {
      await browser.click('dialog[open] [data-testid="signal-select-button"]');
      await browser.click('dialog[open] [role="option"]', 'approve');
    } while (!(await browser.comes('dialog[open] button[type="submit"]', 'Submit')));
    await browser.click('dialog[open] button[type="submit"]', 'Submit');

    expect((await run.result()).answer).toBe('It says: Error: not run: a person refused it: Not from here');
  },
);
