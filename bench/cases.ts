import type { Script } from '../test/support/model-server.ts';
import { agentOf, calls, toolResults } from '../test/support/agent-script.ts';
import { answer, submit, teamScript, vote } from '../test/support/team-script.ts';

/** A run that is measured beside a bare workflow. */
export interface Case {
  name: string;
  /** The workflow's type, and its input before it is signed. */
  type: 'orchestration' | 'session';
  input: object;
  script: Script;
  /** The time that its model calls alone take, those side by side counted once. In milliseconds. */
  ideal: number;
  /** The bare workflow of `workflows.ts` with as many activities in the same order. */
  floor: { type: string; args: unknown[] };
}

const phases = 3;

/** A team of three that answers, votes and presents: seven calls, of which three are one after the other. */
export const teamOfThree = (milliseconds: number): Case => ({
  name: `3 agents x ${phases} phases at ${milliseconds} ms`,
  type: 'orchestration',
  input: { task: 'T', config: teamConfig(0) },
  script: shortTeam(milliseconds),
  ideal: phases * milliseconds,
  floor: { type: 'floor', args: [milliseconds] },
});

/** The same with a judge, as teams have one unless they are told otherwise: eight calls, of which four are in a row. */
export const judgedTeam = (milliseconds: number): Case => ({
  name: `3 agents and a judge, 8 calls of ${milliseconds} ms`,
  type: 'orchestration',
  input: { task: 'T', config: teamConfig(2) },
  script: shortTeam(milliseconds),
  ideal: (phases + 1) * milliseconds,
  floor: { type: 'judgedFloor', args: [milliseconds] },
});

const teamConfig = (restarts: number) => ({
  agents: ['a', 'b', 'c'].map((id) => ({ id, backend: { type: 'openai' as const } })),
  orchestrator: { coordination: { max_orchestration_restarts: restarts } },
});

/** Task, answers and reasons have one character each, so that a run's prompts are the framework's text alone. */
export function shortTeam(delay: number): Script {
  const script = teamScript({
    answer: () => answer('A'),
    vote: () => vote('agent1', 'r'),
    decide: () => submit(),
    present: () => ({ text: 'F' }),
  });
  return async (seen) => ({ ...(await script(seen)), delay });
}

/** Three agents that write for two seconds each, answers and the final one: what it costs that texts can be looked at meanwhile. */
export const writingTeam: Case = {
  name: '3 agents that write answers of 2 s, and one of them the final one',
  type: 'orchestration',
  input: { task: 'T', config: teamConfig(0) },
  script: (() => {
    const text = 'A text of forty characters, of which each '.slice(0, 40).repeat(50);
    return teamScript({
      answer: () => ({ ...answer(text), pace: 40 }),
      vote: () => vote('agent1', 'r'),
      present: () => ({ text, pace: 40 }),
    });
  })(),
  ideal: 4000,
  floor: { type: 'floor', args: [2000] },
};

const replies = 10;

/** One agent that writes ten replies; each but the last calls so many quick tools, which run side by side. */
export const agentWithTools = (atATime: number, milliseconds: number): Case => ({
  name: `One agent, ${replies} calls of ${milliseconds} ms, ${atATime === 1 ? '1 quick tool' : `${atATime} quick tools at a time`} after each but the last`,
  type: 'session',
  input: {
    config: agentOf('openai', { simple: { max_thoughts: 2 * replies, parallel: true } }, [quickTools]),
    text: 'T',
  },
  script(seen) {
    const done = toolResults(seen).length;
    const next = Array.from({ length: atATime }, (_, index): [string, object] => [
      'note',
      { text: `x${done + index}` },
    ]);
    return { ...(done < atATime * (replies - 1) ? calls(...next) : { text: 'Done.' }), delay: milliseconds };
  },
  ideal: replies * milliseconds,
  floor: { type: 'inSequence', args: [replies, milliseconds] },
});

/** The package of `quickModule`. */
const quickTools = 'quick';

/** A module of tools for the worker's folder, by its file: what it does takes no time and has no side effects. */
export const quickModule = {
  file: `${quickTools}.ts`,
  code: `
const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
export const tools = [
  { name: 'note', description: 'Note.', parameters, sideEffects: false, execute: ({ text }: { text: string }) => text },
];
`,
};

/** The cases of a bench that two checkouts can be compared by. */
export const comparedCases: Record<string, Case[]> = {
  run: [teamOfThree(300), judgedTeam(300)],
  tools: [agentWithTools(1, 200), agentWithTools(4, 200)],
  texts: [writingTeam],
};
