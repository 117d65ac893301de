import type { BroadcastResult } from '../../src/protocol/questions.ts';
import type { Script, Seen } from './model-server.ts';
import { toolResults } from './reading.ts';
import { answer, ask, teamOf, teamScript } from './team-script.ts';

/** Results of `ask_others` as a later request of the asker shows them to its model. */
export const resultsIn = (request: Seen): BroadcastResult[] =>
  toolResults(request)
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as BroadcastResult);

/** Whether the asker's model has been shown a result already. */
export const hasAsked = ({ prompt }: Seen): boolean => prompt.includes('"request_id"');

/** An agent that asks these questions one after the other before it answers, and then repeats the last response. */
export function asks(...questions: string[]): Script {
  return teamScript({
    answer: (request) => {
      const results = resultsIn(request);
      const question = questions[results.length];
      if (question !== undefined) return ask(question);
      return answer(`Told: ${results.at(-1)?.responses[0]?.content ?? 'nothing'}.`);
    },
    present: ({ prompt }) => ({ text: /Told: [^.]*\./.exec(prompt)?.[0] ?? 'Nothing told.' }),
  });
}

/** A team of one that may ask the person. @param timeout seconds that a question waits */
export const askingTeam = (timeout: number) =>
  teamOf(['agent_a'], { type: 'openai' }, { broadcast: 'human', broadcast_timeout: timeout });
