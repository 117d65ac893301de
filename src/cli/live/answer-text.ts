import type { RunSnapshot } from '../../client.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { State } from '../../protocol/state.ts';
import { printable } from '../../util/text/printable.ts';

export interface GrowingAnswer {
  agent: string;
  text: string;
  /** Whether its model still writes. Afterwards it may be judged, and a restart may follow. */
  isGrowing: boolean;
}

/** With these a run begins to work for another answer, so that what was written is none any more. */
const beginnings: Array<RunEvent['type']> = [
  'attempt',
  'restart',
  'retry_round',
  'plan_around_round',
  'new_plan_round',
  'planning_restart',
  'turn',
];

/** Whether what was written before was no answer: the run goes on without it, or its writer has called a tool after it. */
const isNoAnswerAfter = (event: RunEvent): boolean =>
  beginnings.includes(event.type) || event.type === 'tool' || (event.type === 'says' && !event.last);

/** More than a screen has. */
const maxChars = 50_000;

/** Follows the call by which a run's final answer, its report or a chat's reply is written. */
export class AnswerText {
  readonly #writers = new Map<string, { agent: string; purpose: string }>();
  #activityId: string | undefined;
  #characters = 0;
  #text = '';
  #isGrowing = false;

  see({ calls, events, state, texts }: RunSnapshot): void {
    for (const event of events) {
      if (event.type === 'thinking') this.#writers.set(event.activityId, event);
      if (!isNoAnswerAfter(event)) continue;
      // A call that is being cancelled is under way for a moment still.
      this.#writers.clear();
      this.#begin(undefined);
    }
    const purposes = purposesOf(state);
    const isAnswer = ({ activityId }: { activityId: string }): boolean =>
      purposes.includes(this.#writers.get(activityId)?.purpose ?? '');
    for (const { activityId, offset, reset, text } of texts.filter(isAnswer)) {
      if (activityId !== this.#activityId || reset) this.#begin(activityId);
      const missed = offset > this.#characters ? '…' : '';
      this.#text = (this.#text + missed + text).slice(-maxChars);
      this.#characters = offset + text.length;
    }
    this.#isGrowing = calls.some(isAnswer);
  }

  /** Undefined where there is none, or where its model uses a tool. */
  get answer(): GrowingAnswer | undefined {
    const { agent = '', purpose = '' } = this.#writers.get(this.#activityId ?? '') ?? {};
    const text = printable(purpose === 'synthesise' ? reportText(this.#text) : spokenText(this.#text)).trim();
    return text === '' ? undefined : { agent, text, isGrowing: this.#isGrowing };
  }

  #begin(activityId: string | undefined): void {
    this.#activityId = activityId;
    this.#characters = 0;
    this.#text = '';
  }
}

/** What a call that writes the answer is for. The one agent of a session answers by any of its replies. */
function purposesOf(state: State | undefined): string[] {
  switch (state?.workflow) {
    case undefined:
      return [];
    case 'orchestration':
      return ['present'];
    case 'session':
      return state.agents.length > 1 || state.attempt > 0
        ? ['present']
        : ['present', 'reply', 'act', 'recover', 'summarise'];
    default:
      return ['synthesise'];
  }
}

/** A reply without the arguments of tool calls, which come as JSON in place of the text or right behind it. */
const spokenText = (text: string): string =>
  text
    .replace(/^\s*\{\s*("|$)[^]*$/, '')
    .replace(/(?<=[.:!?…])\{\s*"[^]*$/, '')
    .replace(/^\s*FINAL_ANSWER:\s*/i, '');

/** A report as far as it is written: the texts in the JSON of the call that hands it in, or the text as it stands. */
function reportText(text: string): string {
  if (!/^(\s*\{|…)/.test(text)) return text;
  const paragraphs: string[] = [];
  let key = '';
  // A text that has lost its beginning most likely begins within a value.
  for (const [, colon, content = ''] of text.replace(/^…/, ':"').matchAll(/(:\s*)?"((?:[^"\\]|\\[^])*)(?:"|\\?$)/g)) {
    if (colon === undefined) key = content;
    else if (content !== '')
      paragraphs.push(`${key === 'title' ? '# ' : key === 'heading' ? '## ' : ''}${unescaped(content)}`);
  }
  return paragraphs.join('\n\n');
}

/** The text of a JSON string that may end within an escape. */
function unescaped(content: string): string {
  try {
    return JSON.parse(`"${content.replace(/\\(u[\dA-Fa-f]{0,3})?$/, '')}"`) as string;
  } catch {
    return content;
  }
}
