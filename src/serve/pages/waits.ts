import { awaitedOf } from '../../client/show/kinds.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { durationText } from '../../workflows/runtime/duration.ts';
import { html, runPath, textBlock, type Html } from './html.ts';

/** What settles each kind of what waits. */
const verbs: Record<PendingQuestion['kind'], string> = {
  question: 'Answer',
  approval: 'Decide',
  tool: 'Allow or deny',
  key: 'Go on without',
};

/** Who waits for what, and for how much longer. */
export function waitFacts(pending: PendingQuestion): string {
  const { expiresAt, from, questionId } = pending;
  const left = expiresAt === null ? '' : `, ${durationText(Date.parse(expiresAt) - Date.now())} left`;
  return `${from} waits for ${awaitedOf(pending)} (${questionId}${left})`;
}

/** What is asked, as whoever is asked reads it. */
export const askedBlock = (pending: PendingQuestion): Html =>
  pending.arguments === undefined
    ? textBlock(pending.question)
    : html`${textBlock(pending.question)}
        <pre>${pending.arguments}</pre>`;

/** What a run waits for. @param mayAct whether whoever reads it may settle it, on a page of its own */
export const waitItem = (id: string, pending: PendingQuestion, mayAct: boolean): Html => {
  const settle = html`<a class="act" href="${runPath(id, 'answer', pending.questionId)}"
    >${verbs[pending.kind]} (${pending.questionId})</a
  >`;
  return html`<p class="waits">${waitFacts(pending)}</p>
    ${askedBlock(pending)}${mayAct && settle}`;
};
