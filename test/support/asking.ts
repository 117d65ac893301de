import type { BroadcastResult } from '../../src/messages/broadcast.ts';
import type { Seen } from './model-server.ts';

/** Results of `ask_others` as a later request of the asker shows them to its model. */
export function resultsIn({ body }: Seen): BroadcastResult[] {
  return body.messages.flatMap((message): BroadcastResult[] => {
    const texts =
      message.role === 'tool'
        ? [String(message.content)]
        : Array.isArray(message.content)
          ? message.content.flatMap((block) =>
              block.type === 'tool_result' ? [String((block as { content?: unknown }).content)] : [],
            )
          : [];
    return texts.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as BroadcastResult);
  });
}

/** Whether the asker's model has been shown a result already. */
export const hasAsked = ({ prompt }: Seen): boolean => prompt.includes('"request_id"');
