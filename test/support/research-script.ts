import type { Script, Scripted, Seen } from './model-server.ts';

/** What a request of a research run asks for, told by the tool on offer. */
export type Asked = 'plan' | 'criticise' | 'synthesise';

export interface ResearchRequest extends Seen {
  asked: Asked;
  /** Planning iteration, as the planner's prompt says; 1 where it does not. */
  iteration: number;
  /** The idea at hand, as the prompts of critic and writer say. */
  idea: string;
}

export const plan = (idea: string, queries: string[] = [idea]): Scripted => ({
  calls: [{ name: 'submit_plan', arguments: { idea, approach: `Examine: ${idea}.`, queries } }],
});

/** A criticism that gives every aspect this score. @param more other arguments of the call, such as `similar` */
export const criticism = (
  score: number,
  more: object = {},
  aspects = ['feasibility', 'novelty', 'data', 'risk', 'testability'],
): Scripted => ({
  calls: [
    {
      name: 'submit_criticism',
      arguments: {
        criticism: `It deserves ${score}.`,
        scores: Object.fromEntries(aspects.map((aspect) => [aspect, score])),
        ...more,
      },
    },
  ],
});

/** A report that cites the first hit where there is one. */
export const reportOn = ({ idea, prompt }: ResearchRequest): Scripted =>
  report(`On ${idea}`, prompt.includes('[1.1] ') ? 'So it is said [1.1].' : 'Nothing is known.');

export const report = (title: string, text: string): Scripted => ({
  calls: [
    {
      name: 'submit_report',
      arguments: { title, summary: text, sections: [{ heading: 'Findings', text }] },
    },
  ],
});

/** Makes a script out of what the roles do; by default the plan keeps to one idea an iteration, and every plan is good. */
export function researchScript(
  acts: Partial<Record<Asked, (request: ResearchRequest) => Scripted | Promise<Scripted>>> = {},
): Script {
  const all = {
    plan: ({ iteration }: ResearchRequest) => plan(`idea ${iteration}`),
    criticise: () => criticism(72),
    synthesise: reportOn,
    ...acts,
  };
  return (seen) => {
    const asked = askedIn(seen);
    const iteration = Number([...seen.prompt.matchAll(/## Planning iteration (\d+)/g)].at(-1)?.[1] ?? 1);
    const idea = /## Idea\n\n(.*)/.exec(seen.prompt)?.[1] ?? '';
    return all[asked]({ ...seen, asked, iteration, idea });
  };
}

function askedIn({ tools }: Seen): Asked {
  if (tools.includes('submit_plan')) return 'plan';
  return tools.includes('submit_criticism') ? 'criticise' : 'synthesise';
}
