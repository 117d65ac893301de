import { ApplicationFailure } from '@temporalio/common';
import type { Message, TokenUsage } from '../protocol/message.ts';
import { tokensOf } from '../models/compact.ts';
import { checkedUsage } from '../models/estimate.ts';
import type { ModelResponse } from '../models/model.ts';
import type { Summaries, SummaryRequest } from '../models/summarising.ts';
import type { Store } from '../store/store.ts';
import { cutInMiddle } from '../util/text/cut.ts';
import { summaryRequest } from '../workflows/agent/prompts.ts';
import { plainConversation } from '../workflows/ask-others/prompts.ts';

interface Settings {
  store: Store;
  ask: (messages: Message[]) => Promise<ModelResponse>;
  onSpent: (usage: TokenUsage) => Promise<void>;
}

const journalKey = (key: string): string => `summary/${key}`;

/** By their keys: the agents of a team often need the same summary at once. */
const underWay = new Map<string, Promise<unknown>>();

/** Each is paid for once, by the journal. @throws (from `make`) what the model throws if it may pass */
export function summariesIn({ ask, onSpent, store }: Settings): Summaries {
  const find = async (key: string): Promise<string | undefined> =>
    (await store.findReply(journalKey(key), key))?.reply.content;

  const make = async (key: string, request: SummaryRequest): Promise<string | undefined> => {
    const messages = summaryRequest(plainText(request), request.words);
    const response = await ask(messages).catch((error: unknown) => {
      // What fails for good says nothing of the call that it was for, which goes on without a summary.
      if (error instanceof ApplicationFailure && error.nonRetryable === true) return undefined;
      throw error;
    });
    const content = response?.message.content.trim() ?? '';
    if (response === undefined || content === '') return undefined;
    const { finish, message } = response;
    const usage = checkedUsage(response.usage, messages, message);
    const kept = await store.commitReply({
      key: journalKey(key),
      inputHash: key,
      parent: null,
      messages: [...messages, { role: 'assistant', content }],
      result: { reply: { content, calls: [], finish }, usage },
    });
    await onSpent(usage);
    return kept.reply.content;
  };

  return {
    async find(keys) {
      for (const key of keys) {
        const text = await find(key);
        if (text !== undefined) return { key, text };
      }
      return undefined;
    },
    async make(key, request) {
      // If that fails, the next one asks itself.
      while (underWay.has(key)) await underWay.get(key)?.catch(() => {});
      const making = find(key).then((made) => made ?? make(key, request));
      underWay.set(key, making);
      try {
        return await making;
      } finally {
        underWay.delete(key);
      }
    },
  };
}

const maxShare = 0.9;

function plainText({ messages, budget }: SummaryRequest): string {
  const parts = plainConversation(messages).map(
    ({ content, role }) => `${role === 'assistant' ? 'Agent' : 'User'}: ${content}`,
  );
  const text = parts.join('\n\n');
  const size = tokensOf([{ role: 'user', content: text }]);
  const kept = (text.length * budget * maxShare) / size;
  return kept >= text.length ? text : cutInMiddle(text, kept * 0.6, kept * 0.4);
}
