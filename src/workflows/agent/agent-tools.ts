import type { ReplyCall } from '../../protocol/model-call.ts';
import { responsesAreAutomatic } from '../orchestration/refusals.ts';
import { askCallOf } from '../orchestration/rules/action.ts';
import type { Broadcast, Colleague } from '../ask-others/broadcast.ts';
import { storeTexts } from './text-refs.ts';
import type { Toolbox, ToolAnswer } from './tool-executor.ts';

/** Runs what an agent calls that no team's turn takes: tools of the world, and questions. */
export class Hands {
  readonly #toolbox: Toolbox;
  readonly #broadcast: Broadcast | undefined;
  readonly #self: Colleague;
  readonly #others: Colleague[];

  /** @param others whom it may ask besides the person */
  constructor(toolbox: Toolbox, broadcast: Broadcast | undefined, self: Colleague, others: Colleague[] = []) {
    this.#toolbox = toolbox;
    this.#broadcast = broadcast;
    this.#self = self;
    this.#others = others;
  }

  async run(call: ReplyCall, when: string): Promise<ToolAnswer> {
    if (this.#broadcast !== undefined) {
      if (call.name === 'ask_others') return this.#ask(this.#broadcast, call, when);
      if (call.name === 'respond_to_broadcast') {
        return { call, status: 'ok', text: responsesAreAutomatic, content: responsesAreAutomatic };
      }
    }
    return this.#toolbox.call(call);
  }

  async #ask(broadcast: Broadcast, call: ReplyCall, when: string): Promise<ToolAnswer> {
    const asked = askCallOf(call);
    if ('question' in asked) [asked.text] = await storeTexts([asked.question]);
    const result = await broadcast.ask(this.#self, asked, this.#others, when);
    const text = JSON.stringify(result);
    const [content = text] = await storeTexts([text]);
    return { call, status: result.status === 'error' ? 'error' : 'ok', text, content };
  }
}
