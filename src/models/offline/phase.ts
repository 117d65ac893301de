import type { Message } from '../../protocol/message.ts';

/** What the loop `react` asks of a reply. */
export type Phase = 'thought' | 'action' | 'observation';

const words: Record<string, Phase> = {
  thought: 'thought',
  think: 'thought',
  action: 'action',
  observation: 'observation',
  observe: 'observation',
};

const word = new RegExp(String.raw`\b(${Object.keys(words).join('|')})`, 'i');

/**
 * The phase that the last message of a conversation asks for, where that is a system message: an action where it speaks
 * of the final answer or where there are tools, else whatever it names first. Undefined where it asks for none.
 */
export function phaseOf(messages: Message[], hasTools: boolean): Phase | undefined {
  const last = messages.at(-1);
  // At the beginning it says how to work.
  if (last?.role !== 'system' || messages.length === 1) return undefined;
  if (hasTools || /FINAL_ANSWER/i.test(last.content)) return 'action';
  return words[word.exec(last.content)?.[1]?.toLowerCase() ?? ''];
}
