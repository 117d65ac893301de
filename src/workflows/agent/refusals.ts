import { beginningOf } from '../runtime/size.ts';
import { joinContent } from './text.ts';
import type { ToolAnswer } from './tool-executor.ts';

/** An agent ends when the same call is refused so often for the same reason. */
const maxRefusals = 3;

/** How many different refusals are remembered, since a model may think of ever new ones. The oldest goes first. */
const remembered = 20;

/** The longest refusal that the reason of an end repeats, in characters. */
const maxChars = 300;

/** Which calls of one agent were refused before their tools ran, since it last did something that was not. */
export class Refusals {
  /** Why the agent is to end; undefined while it may go on. */
  end: string | undefined;
  /** How often a call was refused, and the last reply that it was made in. */
  readonly #refused = new Map<string, { times: number; reply: string }>();

  succeeded(): void {
    this.#refused.clear();
  }

  /**
   * Notes what has come of a call. @param reply the id of its reply. The same call twice in one reply counts once, since
   * its model had not seen the first refusal. @returns the answer as the agent is to get it
   */
  answerTo(answer: ToolAnswer, reply: string): ToolAnswer {
    if (answer.status === 'ok') this.succeeded();
    const key = answer.isRefused ? keyOf(answer) : undefined;
    if (key === undefined) return answer;
    const { times, reply: last } = this.#refused.get(key) ?? { times: 0, reply: undefined };
    const now = last === reply ? times : times + 1;
    // The newest refusal comes last.
    this.#refused.delete(key);
    this.#refused.set(key, { times: now, reply });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > remembered && oldest !== undefined) this.#refused.delete(oldest);
    if (now === 1) return answer;
    if (now >= maxRefusals) this.end ??= endOf(answer);
    return { ...answer, text: answer.text + again, content: joinContent([answer.content, again]) };
  }
}

const again =
  '\n\nThis call was refused before for the same reason, and the same call will be refused again: do something else.';

const endOf = ({ call, text }: ToolAnswer): string =>
  `the same call of ${call.name} was refused ${maxRefusals} times: ${beginningOf(text.replace(/^\w+: /, ''), maxChars)}`;

/** What the same refusal of the same call has in common; undefined where it is not known what the call was. */
function keyOf({ call, text }: ToolAnswer): string | undefined {
  const given = 'error' in call ? call.digest : JSON.stringify(call.input);
  return given === undefined ? undefined : JSON.stringify([call.name, given, text]);
}
