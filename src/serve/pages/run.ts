import type { ListedRun, RunRecord } from '../../client.ts';
import { fewWords, firstLine } from '../../client/names.ts';
import { kindOf } from '../../client/show/kinds.ts';
import { ageText, stateOf } from '../../client/show/progress.ts';
import { changesOf, isShownBelow, placeOf, resultParts, standOf, withTyped } from '../../client/show/record-parts.ts';
import { countText, dollarText, spentText } from '../../client/show/spent.ts';
import { stepTexts } from '../../client/show/step-text.ts';
import { isOpen } from '../../client/way.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { durationText, utcText } from '../../workflows/runtime/duration.ts';
import type { Access } from '../access.ts';
import { inboxOf } from '../asked-once.ts';
import type { Served } from '../served.ts';
import { actsOf, runActs } from './forms.ts';
import { html, listPart, runPath, textBlock, waitFacts, waitItem, type Html } from './html.ts';

/** How many of a run's steps are shown, the last ones. */
const mostSteps = 400;

/** What a run's page is called: the first line of what was asked. */
export const titleOf = ({ id, question }: Pick<RunRecord, 'id' | 'question'>): string => firstLine(question) || id;

/** Everything that a run has done, as `reprise show` tells it. @param mayAct whether whoever reads it may do something about it */
export function runBody(found: RunRecord, mayAct: boolean, typed: Served['typed']): Html {
  const record = withTyped(found, typed);
  const { failure, id, notes, question, status, usage, waiting, warnings, workflow } = record;
  const problems = [...(failure === null ? [] : [`Failed: ${failure}`]), ...notes];
  const acts = mayAct && isOpen(status) ? actsOf(workflow) : [];
  return html`${question.trim() !== titleOf(record) && textBlock(question)} ${factLines(record)}
  ${problems.map((text) => html`<p class="problem">${text}</p>`)}
  ${listPart(
    'It waits for a person',
    waiting.map((each) => waitItem(id, each, mayAct)),
  )}
  ${listPart('Warnings', warnings.map(textBlock))}
  ${resultParts(record).map(
    ([title, text]) =>
      text.trim() !== '' &&
      html`<h2>${title}</h2>
        ${textBlock(text)}`,
  )}
  ${filesPart(record)} ${listPart('Agents', agentLines(record))} ${stepsPart(record, typed)}
  ${listPart(
    'Cost',
    Object.entries(usage.byAgent).map(([agent, spent]) => `${agent}: ${spentText(spent)}`),
  )}
  ${listPart(
    'What you can do',
    acts.map((act) => html`<a class="act" href="${runPath(id, act)}">${runActs[act].what}</a>`),
  )}`;
}

function factLines(record: RunRecord): Html {
  const { endedAt, id, startedAt, usage, workflow } = record;
  const elapsed = Date.parse(endedAt ?? new Date().toISOString()) - Date.parse(startedAt);
  return html`<p><strong>${standOf(record)}</strong></p>
    <p class="facts">${[kindOf(workflow), durationText(elapsed), spentText(usage), id].join(', ')}</p>
    <p class="facts">${utcText(startedAt)} to ${endedAt === null ? 'now' : utcText(endedAt)}</p>`;
}

/** The files of the answer. One whose path would lead elsewhere is named only. */
function filesPart({ id, workspace }: RunRecord): Html | false {
  if (workspace === null) return false;
  const { more, paths } = changesOf(workspace);
  const items = paths.map(([path, how]) => {
    const names = path.split('/');
    const isPlain = how !== 'removed' && !names.some((name) => ['', '.', '..'].includes(name));
    const target = ['/api/v1/runs', encodeURIComponent(id), 'files', ...names.map(encodeURIComponent)].join('/');
    return html`${isPlain ? html`<a href="${target}">${path}</a>` : path} (${how})`;
  });
  return listPart(`${countText(workspace.files, 'file')}, ${countText(workspace.bytes, 'byte')}`, [
    ...items,
    ...(more > 0 ? [`and ${more} more`] : []),
  ]);
}

const agentLines = ({ state }: RunRecord): string[] =>
  (state?.agents ?? []).map((agent) => {
    const vote = 'vote' in agent && typeof agent.vote === 'string' ? `, votes for ${agent.vote}` : '';
    return `${agent.id}: ${inWords(agent.state)}${vote}`;
  });

function stepsPart({ id, result, steps }: RunRecord, typed: Served['typed']): Html | false {
  const left = steps.length - mostSteps;
  let place = '';
  const parts = steps.slice(-mostSteps).map((step) => {
    const now = placeOf(step);
    const isNew = now !== place && now !== '';
    place = now;
    const { texts, ...described } = stepTexts(step);
    // A line begins with an emoji, which a terminal needs to be read at a glance, and a screen reader reads aloud.
    const what = described.what.replace(/^\S+ /, '');
    const blocks = isShownBelow(step, result) ? [] : texts.map(textBlock);
    const isFolded = step.type === 'tool' && blocks.length > 0;
    return html`${isNew && html`<h3>${now}</h3>`}${
      isFolded
        ? html`<details>
            <summary>${what}</summary>
            ${blocks}
          </details>`
        : html`<p class="what">${what}</p>
            ${blocks}`
    }`;
  });
  const earlier = html`<p class="facts">
    ${left} earlier steps are told by <code>${typed('reprise show')} ${shellWord(id)}</code>
  </p>`;
  return (
    steps.length > 0 &&
    html`<h2>What has happened</h2>
      ${left > 0 && earlier}${parts}`
  );
}

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
