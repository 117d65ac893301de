import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkTeam } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import { browserPath } from '../support/browser.ts';
import { openWebUi, pictures } from './stage.ts';

const example = fileURLToPath(new URL('../../examples/ask-others/5-design.yaml', import.meta.url));

test.skipIf(browserPath === undefined)(
  'in the Web UI a run that waits is found by its search attribute, shows its question, and is answered by the signal form',
  async ({ onTestFinished }) => {
    const { browser, reprise, uiPort } = await openWebUi(onTestFinished);
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
