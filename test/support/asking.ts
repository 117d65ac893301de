import type { Script } from './model-server.ts';
import { answer, teamOf, teamScript } from './team-script.ts';

/** An agent that asks these questions one after the other before it answers, and then repeats the last response. */
export function asks(...questions: string[]): Script {
  return teamScript({
    answer: ({ prompt }) => {
      const question = questions[[...prompt.matchAll(/"status":"\w+"/g)].length];
      if (question !== undefined) return { calls: [{ name: 'ask_others', arguments: { question } }] };
      const told = [...prompt.matchAll(/"content":"([^"]*)"/g)].at(-1)?.[1];
      return answer(`Told: ${told ?? 'nothing'}.`);
    },
    present: ({ prompt }) => ({ text: /Told: [^.]*\./.exec(prompt)?.[0] ?? 'Nothing told.' }),
  });
}

/** A team of one that may ask the person. @param timeout seconds that a question waits */
export const askingTeam = (timeout: number) =>
  teamOf(['agent_a'], { type: 'openai' }, { broadcast: 'human', broadcast_timeout: timeout });
