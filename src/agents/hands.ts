import type { ReplyCall } from '../messages/model-call.ts';
import { responsesAreAutomatic } from '../prompts/refusals.ts';
import { askCallOf } from '../rules/action.ts';
import type { Broadcast, Colleague } from './broadcast.ts';
import { storeTexts } from './stored-texts.ts';
import type { Toolbox, ToolAnswer } from './toolbox.ts';

/** Runs what an agent alone calls: tools of the world, and questions to the person. */
export class Hands {
  readonly #toolbox: Toolbox;
  readonly #broadcast: Broadcast | undefined;
  readonly #self: Colleague;

  constructor(toolbox: Toolbox, broadcast: Broadcast | undefined, self: Colleague) {
    this.#toolbox = toolbox;
    this.#broadcast = broadcast;
    this.#self = self;
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
    const result = await broadcast.ask(this.#self, askCallOf(call), [], when);
    const text = JSON.stringify(result);
    const [content = text] = await storeTexts([text]);
    return { call, status: result.status === 'error' ? 'error' : 'ok', text, content };
  }
}
