import { fileURLToPath } from 'node:url';
import type { AssistantMessage, Content, Message, ToolSpec } from '../../src/protocol/message.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { joinContent } from '../../src/workflows/agent/text.ts';

/** A folder of texts to answer from. */
export const library = fileURLToPath(new URL('../fixtures/library', import.meta.url));

export const user = (content: Content): Message => ({
  role: 'user',
  content: joinContent([content])
    .map((text) => (typeof text === 'string' ? text : ''))
    .join(''),
});

/** A tool by the schema of its parameters. */
export const tool = (name: string, description: string, properties: object, required: string[]): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties: properties as Record<string, unknown>, required },
});

/** A conversation with the offline model. */
export class Talk {
  readonly messages: Message[] = [];
  readonly #folder: string | undefined;

  /** @param folder its texts; absent: Reprise's own documentation */
  constructor(folder?: string, ...messages: Message[]) {
    this.#folder = folder;
    this.messages.push(...messages);
  }

  /** Its next reply, which becomes part of the conversation. */
  async reply(tools: ToolSpec[] = [], ...told: Message[]) {
    this.messages.push(...told);
    const { message } = await offlineModel({ type: 'offline', folder: this.#folder }).complete({
      messages: [...this.messages],
      tools,
      signal: new AbortController().signal,
      onDelta() {},
    });
    this.messages.push(message);
    const [call] = message.toolCalls ?? [];
    const input = call && (JSON.parse(call.arguments) as Record<string, unknown>);
    return { text: message.content, tool: call?.name, input };
  }

  /** Answers the call of the last reply. */
  returns(result: unknown): void {
    const [call] = (this.messages.at(-1) as AssistantMessage).toolCalls ?? [];
    const content = typeof result === 'string' ? result : JSON.stringify(result);
    this.messages.push({ role: 'tool', callId: call?.id ?? '', content });
  }
}
