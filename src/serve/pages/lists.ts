import type { ListedRun } from '../../client.ts';
import { fewWords } from '../../client/names.ts';
import { kindOf } from '../../client/show/kinds.ts';
import { ageText, stateOf } from '../../client/show/progress.ts';
import { dollarText } from '../../client/show/spent.ts';
import type { Access } from '../access.ts';
import { inboxOf } from '../asked-once.ts';
import type { Served } from '../served.ts';
import { html, runPath, type Html } from './html.ts';
import { waitFacts, waitItem } from './waits.ts';

/** How many runs are listed. */
const maxRuns = 50;

/** The newest runs, as `reprise list` lists them. */
export async function runsPage({ reprise, typed }: Served, access: Access): Promise<{ body: Html; isLive: boolean }> {
  const found = await reprise.list({ limit: maxRuns + 1, prefix: access.prefix });
  const runs = found.slice(0, maxRuns);
  const more = html`<p class="facts">
    These are the newest ${maxRuns}; <code>${typed('reprise list --all')}</code> lists all.
  </p>`;
  return {
    body: html`${runs.length === 0 && html`<p>There are no runs yet.</p>`}
      <ul>
        ${runs.map(runItem)}
      </ul>
      ${found.length > maxRuns && more}`,
    isLive: runs.some(({ endedAt }) => endedAt === null),
  };
}

function runItem(run: ListedRun): Html {
  const { id, question, spent, startedAt, waiting, workflow } = run;
  const age = `${ageText(Date.now() - Date.parse(startedAt))} ago`;
  const facts = [kindOf(workflow), stateOf(run), age, ...(spent === null ? [] : [dollarText(spent.costUsd)]), id];
  return html`<li>
    <a href="${runPath(id)}">${question.trim() || id}</a>
    <p class="facts">${facts.join(', ')}</p>
    ${waiting.map((each) => html`<p class="waits">${waitFacts(each)}</p>`)}
  </li>`;
}

/** All that waits for a person, as `reprise inbox` prints it. */
export async function inboxPage(served: Served, access: Access): Promise<Html> {
  const { silent, waiting } = await inboxOf(served, access);
  return html`${waiting.length === 0 && html`<p>Nobody waits for a person.</p>`}
  ${waiting.map(
    (each) =>
      html`<h2><a href="${runPath(each.workflowId)}">${fewWords(each.task ?? each.workflowId)}</a></h2>
        <p class="facts">${each.workflowId}</p>
        ${waitItem(each.workflowId, { ...each, question: served.typed(each.question) }, access.grant.kind !== 'read')}`,
  )}
  ${silent.map((id) => html`<p class="problem">${id} waits for a person and does not tell its question.</p>`)}`;
}
