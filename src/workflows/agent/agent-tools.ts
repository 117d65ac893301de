import type { ReplyCall } from '../../protocol/model-call.ts';
import { askCallOf } from '../ask-others/ask-call.ts';
import type { AskingAgent, Broadcast } from '../ask-others/broadcast.ts';
import { responsesAreAutomatic } from '../ask-others/prompts.ts';
import { storeTexts } from './text-refs.ts';
import type { ToolExecutor, ToolAnswer } from './tool-executor.ts';

/** Runs the calls of an agent outside of a team's answering and voting: its own tools, and questions to others. */
export class AgentTools {
  readonly #tools: ToolExecutor;
  readonly #broadcast: Broadcast | undefined;
  readonly #self: AskingAgent;
  readonly #others: AskingAgent[];

  /** @param others the agents that it may ask */
  constructor(tools: ToolExecutor, broadcast: Broadcast | undefined, self: AskingAgent, others: AskingAgent[] = []) {
    this.#tools = tools;
    this.#broadcast = broadcast;
    this.#self = self;
    this.#others = others;
  }

  async run(when: string, call: ReplyCall): Promise<ToolAnswer> {
    if (this.#broadcast !== undefined) {
      if (call.name === 'ask_others') return this.#ask(this.#broadcast, call, when);
      if (call.name === 'respond_to_broadcast') {
        return { call, status: 'ok', text: responsesAreAutomatic, content: responsesAreAutomatic };
      }
    }
    return this.#tools.call(call);
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
