import type { Content, Text } from '../../protocol/message.ts';
import type { Agent, ReplyOptions } from './agent.ts';
import type { Purpose } from './model-caller.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { joinContent } from './text.ts';
import { continueText, notRun } from './prompts.ts';
import { withoutRepetition } from './repetition.ts';
import { storeTexts, textRef } from './text-refs.ts';

/** How often a model is asked to go on with a text that its provider has cut off. */
const mostParts = 4;

export interface WholeText {
  text: string;
  /** The text as prompts repeat it: references to its parts if they are long. */
  content: Text[];
  /** Whether the text ends in the middle because the model never came to its end. */
  isCut: boolean;
}

/**
 * Has a model go on with a reply that was cut off at its longest, until the text is whole or has had four parts. One that goes
 * round in circles, repeats what it was asked, or has taken all the room that there is for a reply is left as it was before.
 *
 * @param first the last reply of the agent's conversation
 */
export async function wholeText(
  agent: Agent,
  first: Pick<Reply, 'content' | 'finish' | 'isFull'>,
  purpose: Purpose,
  options: ReplyOptions = {},
): Promise<WholeText> {
  let text = '';
  const content: Content[] = [];
  for (let reply = first, part = 1; ; part++) {
    const next = text + reply.content;
    const isCut = reply.finish === 'length';
    const ended =
      (part > 1 ? beforeEcho(next, text.length) : undefined) ?? (isCut ? withoutRepetition(next) : undefined);
    if (ended !== undefined) return { text: ended, content: await storeTexts([ended]), isCut: true };
    text = next;
    content.push(textRef(reply.content, { segment: agent.transcript?.id ?? '' }));
    if (!isCut || reply.content === '' || reply.isFull || part === mostParts)
      return { text, content: joinContent(content), isCut };
    agent.tell({ role: 'user', content: continueText });
    const more = await agent.reply(purpose, { ...options, choice: 'none' });
    // Not all models heed that they may call nothing, and providers refuse a conversation with unanswered calls.
    for (const { id, name } of more.calls) agent.answerCall(id, notRun(name));
    reply = more;
  }
}

/** So many characters of `continueText` are told from an answer's own words. */
const echoed = continueText.slice(0, 40);

/** A text up to where a part of it repeats the prompt; undefined if none does. @param from where that part begins */
function beforeEcho(text: string, from: number): string | undefined {
  const at = text.indexOf(echoed, from);
  return at < 0 ? undefined : text.slice(0, at).trimEnd();
}
