import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browserPath } from '../support/browser.ts';
import { startModelServer } from '../support/model-server.ts';
import { teamOf, teamScript } from '../support/team-script.ts';
import { openWebUi, pictures } from './stage.ts';

const good = `**SQLite**, as long as one server is enough.

## Why

1. There is nothing to run: the database is a *file*.
2. Backups are copies.

What would make us change it: a second server, or more writers than one file takes.

\`\`\`sql
PRAGMA journal_mode = WAL;
\`\`\`
`;

/** What an answer may hold in order to call home, to run a script, or to show something that is not its own. */
const hostile = (address: string): string => `# A heading of its own

![a picture](${address}/picture.png) <img src="${address}/tag.png"> <script src="${address}/script.js"></script>
<style>@import "${address}/style.css"; body { background: url(${address}/background.png) }</style>
<iframe src="${address}/frame.html"></iframe> <svg onload="fetch('${address}/svg')"></svg>
</blockquote></main><h3>Spent: nothing</h3>
[a link](javascript:alert(1))

\`\`\`
never closed`;

test.skipIf(browserPath === undefined)(
  'the Web UI lists runs by their questions, and shows the answer of one that is done, of which nothing is loaded from elsewhere',
  async ({ onTestFinished }) => {
    const called: string[] = [];
    const elsewhere = createServer(({ url }, response) => {
      called.push(url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const present = ({ prompt }: { prompt: string }) => ({
      text: prompt.includes('hostile') ? hostile(address) : good,
    });
    const model = await startModelServer(teamScript({ present }));
    const { browser, reprise, uiPort } = await openWebUi(onTestFinished, {
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: model.openai,
    });
    onTestFinished(async () => {
      await model.close();
      elsewhere.close();
    });
    const config = teamOf(['agent_a', 'agent_b', 'agent_c'], { type: 'openai' });
    const ask = async (id: string, task: string): Promise<void> => {
      await (await reprise.startOrchestration({ task, config }, { id })).result();
    };
    await ask('hostile', 'Say something hostile.');
    await ask('tests', 'How are long waits tested without waiting?');
    await ask('database', 'Which database suits a small team, and what would make us change it?');

    const home = `http://127.0.0.1:${uiPort}/namespaces/default/workflows`;
    await browser.goTo(home);
    await browser.shows('database');
    const columns = ['Status', 'Workflow ID', 'RepriseQuestion', 'RepriseOutcome', 'Type', 'End'];
    const stored = { default: columns.map((label) => ({ label, pinned: false })) };
    await browser.evaluate(
      `localStorage.setItem('namespace-workflow-table-columns', ${JSON.stringify(JSON.stringify(stored))})`,
    );
    await browser.goTo(`${home}?query=${encodeURIComponent('RepriseQuestion="team waits"')}`);
    await browser.shows('Which database suits a small team, and what would make us change it?');
    await browser.shows('How are long waits tested without waiting?');
    expect(await browser.evaluate<string>('document.body.innerText')).not.toContain('Say something hostile.');
    if (pictures !== undefined) await browser.picture(join(pictures, 'web-ui-list.png'));

    await browser.click('a', 'database');
    await browser.click('[data-testid="user-metadata-tab"]');
    // This stands in the details alone: the answer itself is part of the run's result too.
    await browser.shows('Attempt 1 of 3: done');
    if (pictures !== undefined) await browser.picture(join(pictures, 'web-ui-details.png'));

    // As commands print it.
    await browser.goTo(`${home}/hostile`);
    await browser.shows('Say something hostile.');
    await browser.click('[data-testid="user-metadata-tab"]');
    await browser.shows('Attempt 1 of 3: done');
    const details = (selector: string): string =>
      "[...document.querySelectorAll('iframe')].flatMap((frame) => " +
      `[...frame.contentDocument.querySelectorAll('${selector}')].map(({ innerText }) => innerText))`;
    const headings = ['Asked', 'Answer', 'Attempt 1 of 3: done', 'Answer of agent_b', 'Answer of agent_c', 'Spent'];
    expect(await browser.evaluate(details('main > h3'))).toEqual(headings);
    expect(await browser.evaluate(details('main style, main script, main iframe, main svg'))).toEqual([]);
    expect(called).toEqual([]);
  },
);
