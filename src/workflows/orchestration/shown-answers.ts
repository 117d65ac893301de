import type { Content } from '../../protocol/message.ts';
import { storeContent } from '../agent/text-refs.ts';
import type { Candidate, TeamAgent } from './context.ts';
import { answerList } from './prompts.ts';

/**
 * A long list is stored once: each of a hundred voters gets all of a hundred answers, and what all their calls name
 * together must fit into one message to the server.
 */
export function answersText(candidates: Candidate[]): Promise<Content> {
  const list = answerList(
    candidates.map(({ answer: { content, diff, text }, name }) => ({ name, content, reference: text, diff })),
  );
  return storeContent(list, candidates.map(({ answer }) => answer.content).join('\n'));
}

/** The anonymous names of those answers that an agent has given. */
export const namesOf = (candidates: Candidate[], author: TeamAgent): string[] =>
  candidates.filter(({ teamAgent }) => teamAgent === author).map(({ name }) => name);
