import { html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { awaitedOf } from '../../client/show/kinds.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { printable } from '../../util/text/printable.ts';
import { durationText } from '../../workflows/runtime/duration.ts';

export type Html = HtmlEscapedString;

/** What may stand in a piece of a page: texts are shown as they are, and nothing where there is nothing. */
type Shown = string | number | false | undefined | Html | Shown[];

/**
 * A piece of a page. Whatever stands in it is shown as a text, unless a piece has been made of it here: it can be no element, no
 * attribute's end, and nothing that steers a terminal or shows the text in another order. An attribute stands in double quotes.
 *
 * It is a template and not `hono/jsx`, since Node runs these files as they are, and takes no other syntax than types off.
 */
export const html = (strings: TemplateStringsArray, ...values: Shown[]): Html =>
  template(strings, ...values.map(safe)) as Html;

/** What a run says is a text may be anything once a model has filled it in: only what was made here is taken as it is. */
function safe(value: Shown): unknown {
  if (Array.isArray(value)) return value.map(safe);
  if (value === undefined || value === false) return value;
  // A piece is an object of the class String, which nothing that was read from JSON is.
  if (typeof value === 'object' && (value as object).constructor === String) return value;
  return printable(String(value));
}

export const runPath = (id: string, ...rest: string[]): string =>
  ['/runs', id, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');

export const textBlock = (text: string): Html => html`<div class="text">${text.trim()}</div>`;

/** A part of a page with a heading and a list; nothing where the list is empty. */
export const listPart = (title: string, items: Array<Html | string>): Html | false =>
  items.length > 0 &&
  html`<h2>${title}</h2>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`;

const verbs: Record<PendingQuestion['kind'], string> = {
  question: 'Answer',
  approval: 'Decide',
  tool: 'Allow or deny',
  key: 'Go on without',
};

export function waitFacts(pending: PendingQuestion): string {
  const { expiresAt, from, questionId } = pending;
  const left = expiresAt === null ? '' : `, ${durationText(Date.parse(expiresAt) - Date.now())} left`;
  return `${from} waits for ${awaitedOf(pending)} (${questionId}${left})`;
}

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
