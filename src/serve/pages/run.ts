import type { RunRecord } from '../../client.ts';
import { firstLine } from '../../client/names.ts';
import { kindOf } from '../../client/show/kinds.ts';
import { changesOf, isShownBelow, placeOf, resultParts, standOf, withTyped } from '../../client/show/record-parts.ts';
import { countText, spentText } from '../../client/show/spent.ts';
import { stepTexts } from '../../client/show/step-text.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { durationText, utcText } from '../../workflows/runtime/duration.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import type { Served } from '../served.ts';
import { actsOf, runActs } from './forms.ts';
import { html, listPart, runPath, textBlock, type Html } from './html.ts';
import { waitItem } from './waits.ts';

/** How many of a run's steps are shown, the last ones. */
const mostSteps = 400;

export const isOver = ({ status }: RunRecord): boolean => !['running', 'paused'].includes(status);

/** What a run's page is called: the first line of what was asked. */
export const titleOf = ({ id, question }: Pick<RunRecord, 'id' | 'question'>): string => firstLine(question) || id;

/** Everything that a run has done, as `reprise show` tells it. @param mayAct whether whoever reads it may do something about it */
export function runBody(found: RunRecord, mayAct: boolean, typed: Served['typed']): Html {
  const record = withTyped(found, typed);
  const { failure, id, notes, question, usage, waiting, warnings, workflow } = record;
  const problems = [...(failure === null ? [] : [`Failed: ${failure}`]), ...notes];
  const acts = mayAct && !isOver(record) ? actsOf(workflow) : [];
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

/** The steps under headings for turns, attempts, iterations or rounds; calls of tools are folded. */
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
