import type { Script, Scripted, Seen } from './model-server.ts';

/** What a request of a plan's execution asks for, told by the tools on offer and by the messages. */
export type Asked = 'analyse' | 'plan' | 'work' | 'synthesise' | 'validate';

export interface SolveRequest extends Seen {
  asked: Asked;
  /** Id of the subtask that is carried out; empty where none is. */
  id: string;
  /** Which time this subtask is carried out, or this role asked, from 1. */
  time: number;
}

export interface Step {
  id: string;
  description?: string;
  depends_on?: string[];
  attachments?: string[];
  replaces?: string[];
}

export const analysis = (requirements: string[] = ['All of it']): Scripted => ({
  calls: [{ name: 'submit_analysis', arguments: { requirements, answer_format: 'a text' } }],
});

export const subtasks = (...steps: Array<Step | string>): Scripted => ({
  calls: [
    {
      name: 'submit_plan',
      arguments: {
        subtasks: steps.map((step) => {
          const { id, description = `Do ${id}`, ...rest } = typeof step === 'string' ? { id: step } : step;
          return { id, description, ...rest };
        }),
      },
    },
  ],
});

export const completed = (result: string): Scripted => ({
  calls: [{ name: 'finish_subtask', arguments: { status: 'completed', result } }],
});

export const failed = (reason: string): Scripted => ({
  calls: [{ name: 'finish_subtask', arguments: { status: 'failed', reason } }],
});

export const valid: Scripted = {
  calls: [
    {
      name: 'submit_validation',
      arguments: { is_complete: true, missing_requirements: [], quality: 'high', warnings: [] },
    },
  ],
};

export const invalid = (...missing: string[]): Scripted => ({
  calls: [
    {
      name: 'submit_validation',
      arguments: { is_complete: false, missing_requirements: missing, quality: 'low', warnings: [] },
    },
  ],
});

/** Makes a script out of what the roles do; by default one subtask, which succeeds, and an answer that is valid. */
export function solveScript(
  acts: Partial<Record<Asked, (request: SolveRequest) => Scripted | Promise<Scripted>>> = {},
): Script {
  const times = new Map<string, number>();
  const all = {
    analyse: () => analysis(),
    plan: () => subtasks('step_1'),
    work: ({ id }: SolveRequest) => completed(`Result of ${id}.`),
    synthesise: () => ({ text: 'The answer.' }),
    validate: () => valid,
    ...acts,
  };
  return (seen) => {
    const asked = askedIn(seen);
    const id = asked === 'work' ? (/Carry out (\S+)\./.exec(seen.prompt)?.[1] ?? '') : '';
    const time = (times.get(asked + id) ?? 0) + 1;
    times.set(asked + id, time);
    return all[asked]({ ...seen, asked, id, time });
  };
}

/** The planner may have the same tools throughout, so that its message tells which one it is to call. */
function askedIn({ prompt, tools }: Seen): Asked {
  if (tools.includes('submit_plan') || tools.includes('submit_analysis'))
    return prompt.includes('Now give the plan') ? 'plan' : 'analyse';
  if (tools.includes('submit_validation')) return 'validate';
  return prompt.includes('Carry out ') ? 'work' : 'synthesise';
}
