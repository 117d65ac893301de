import type { TeamConfigInput } from '../../src/config/team.ts';
import type { Scripted, Script, Seen } from './model-server.ts';

/** What a request asks for, told by its tools and its last words. */
export type Asked = 'answer' | 'vote' | 'decide' | 'present' | 'shadow';

/** A request of a team, with what a script wants to know of it. */
export interface TeamRequest extends Seen {
  asked: Asked;
  /** The agent's persona: teams made by `teamOf` give their ids. */
  agent: string;
  /** As the prompt says; 1 where it does not. */
  attempt: number;
}

export const answer = (content: string): Scripted => ({
  calls: [{ name: 'new_answer', arguments: { content } }],
});
export const vote = (agent_id: string, reason = 'the best'): Scripted => ({
  calls: [{ name: 'vote', arguments: { agent_id, reason } }],
});
export const ask = (...questions: string[]): Scripted => ({
  calls: questions.map((question) => ({ name: 'ask_others', arguments: { question } })),
});
export const submit = (confirmed = true): Scripted => ({
  calls: [{ name: 'submit', arguments: { confirmed } }],
});
export const restart = (reason: string, instructions: string): Scripted => ({
  calls: [{ name: 'restart_orchestration', arguments: { reason, instructions } }],
});

/** A team's configuration whose agents say their ids in their personas, so that scripts tell them apart. */
export function teamOf(
  ids: string[],
  backend: object,
  coordination: object = {},
  rest: object = {},
): TeamConfigInput & { agents: NonNullable<TeamConfigInput['agents']> } {
  return {
    agents: ids.map((id) => ({ id, system_message: `I am ${id}.`, backend })),
    orchestrator: { coordination },
    ...rest,
  } as ReturnType<typeof teamOf>;
}

/** Makes a script out of what a team's agents do; by default each answers once, votes for agent1, submits, presents. */
export function teamScript(
  acts: Partial<Record<Asked, (request: TeamRequest) => Scripted | Promise<Scripted>>> = {},
): Script {
  const all = {
    answer: ({ agent, attempt }: TeamRequest) => answer(`Answer of ${agent} in attempt ${attempt}.`),
    vote: () => vote('agent1'),
    decide: () => submit(),
    present: ({ agent }: TeamRequest) => ({ text: `The final answer, by ${agent}.` }),
    shadow: ({ agent }: TeamRequest) => ({ text: `Response of ${agent}.` }),
    ...acts,
  };
  return (seen) => {
    const asked = askedIn(seen);
    const agent = /I am (\S+)\./.exec(seen.prompt)?.[1] ?? '';
    const attempt = Number(/This is attempt (\d+) (?:to solve|of)/.exec(seen.prompt)?.[1] ?? 1);
    return all[asked]({ ...seen, asked, agent, attempt });
  };
}

function askedIn({ tools, prompt, toolChoice }: Seen): Asked {
  if (toolChoice === 'none') return prompt.includes('## Question from') ? 'shadow' : 'present';
  if (tools.includes('submit')) return 'decide';
  if (!tools.includes('vote')) return 'present';
  return prompt.includes('## Answers') ? 'vote' : 'answer';
}
