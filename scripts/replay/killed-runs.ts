import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import { calls, toolResults } from '../../test/support/agent-script.ts';
import { diceOf } from '../../test/support/courses/course.ts';
import type { Script, Scripted, Seen } from '../../test/support/model-server.ts';
import { completed, solveScript, subtasks } from '../../test/support/solve-script.ts';
import { answer, teamOf, teamScript, vote } from '../../test/support/team-script.ts';

/** How many runs are killed at once: teams of three by turns with plans of four subtasks. */
export const killedAtOnce = 12;

const agents = ['agent_a', 'agent_b', 'agent_c'];
const steps = ['step_1', 'step_2', 'step_3', 'step_4'];
const backend = { type: 'openai', model: 'scripted-1' };
const common = {
  prices: { 'scripted-1': { input: 1, cachedInput: 1, output: 1 } },
  permissions: [{ tool: '*', action: 'allow' }],
};

export const isTeam = (number: number): boolean => number % 2 === 0;

/** The workflow type and the input of a run, which names itself to the model by `Run N.` */
export function killedRun(number: number): { type: string; input: object } {
  const text = `Run ${number}.`;
  if (!isTeam(number)) {
    const plan = { backend, executor: { tool_packages: ['kit'] }, max_parallel_subtasks: 4 };
    return { type: 'planAndExecute', input: { problem: text, config: { plan, ...common } } };
  }
  const team = teamOf(agents, backend, { max_orchestration_restarts: 0 }, common);
  const config = { ...team, agents: team.agents.map((each) => ({ ...each, tool_packages: ['kit'] })) };
  return { type: 'orchestration', input: { task: text, config } };
}

/** What one reader says: whose it is, and what its tools have given it. */
const readingOf = (
  number: number,
  reader: string,
  read = `Read ${number}/${reader}/1 and Seen ${number}/${reader}/2`,
) => `ANSWER OF ${reader} in run ${number}, which got ${read}.`;

const readings = /ANSWER OF \S+ in run \d+, which got Read \S+ and Seen \S+\./g;

/**
 * What the model says in all runs. Each reply bears the name of its agent and what its tools have given it. The answer is
 * written slowly, so that there is a time to kill in.
 *
 * @param onWriting is told when a run's answer begins to be written
 */
export function killedScript(seed: number, onWriting: (number: number) => void): Script {
  return async (seen) => {
    const number = Number(/Run (\d+)\./.exec(seen.prompt)?.[1]);
    // The same request has the same reply, in the same time.
    const dice = diceOf(seed, number, seen.prompt.length);
    const delay = dice.whole(50, 150);
    const read = (reader: string): Scripted | undefined => {
      const of = (part: number): object => ({ text: `${number}/${reader}/${part}`, ms: dice.whole(0, 60) });
      const replies = [() => calls(['read', of(1)], ['look', of(2)]), undefined, () => calls(['look', of(3)])];
      return replies[toolResults(seen).length]?.();
    };
    const write = (text: string): Scripted => {
      onWriting(number);
      return { text: `${text} ${remarks}`, pace: 100 };
    };
    const reply = isTeam(number)
      ? await teamScript({
          answer: ({ agent }) => read(agent) ?? answer(readingOf(number, agent, got(seen))),
          vote: ({ agent }) => votes(seen, agent, dice.one(['agent1', 'agent2', 'agent3'])),
          present: ({ agent, prompt }) => {
            const own = [...prompt.matchAll(readings)].find(([text]) => text.startsWith(`ANSWER OF ${agent} `));
            return write(`FINAL OF ${agent}: ${own?.[0]}`);
          },
        })(seen)
      : await solveScript({
          plan: () => subtasks(...steps),
          work: ({ id }) => read(id) ?? completed(readingOf(number, id, got(seen))),
          synthesise: () => write(`FINAL: ${[...seen.prompt.matchAll(readings)].map(([text]) => text).join(' ')}`),
        })(seen);
    return { delay, ...reply };
  };
}

/** What makes an answer long. A text that repeats itself would be taken for a model's loop. */
const remarks = Array.from({ length: 80 }, (_, each) => `And ${(each * 7919) % 9973}.`).join(' ');

const got = (seen: Seen): string => toolResults(seen).slice(0, 2).join(' and ');

/** A vote whose reason tells who votes, and whose answer stands under the name that is voted for. */
function votes({ prompt }: Seen, voter: string, name: string): Scripted {
  const shown = prompt.slice(prompt.lastIndexOf(`agent="${name}">`));
  const whose = /ANSWER OF (\S+) in/.exec(shown)?.[1];
  return vote(name, `VOTE OF ${voter} for ${whose}`);
}

/** What is not its own agent's in the events and the result of a run; empty where all is. */
export function swapped(number: number, events: RunEvent[], end: string): string[] {
  const wrong: string[] = [];
  const check = (what: string, is: unknown, wanted: string): void => {
    if (!String(is).startsWith(wanted)) wrong.push(`${what}: ${String(is).slice(0, 200)} is not ${wanted}`);
  };
  for (const event of events) {
    if (event.type === 'answer') check(`answer of ${event.agent}`, event.content, readingOf(number, event.agent));
    if (event.type === 'vote') check('vote', event.reason, `VOTE OF ${event.agent} for ${event.for}`);
    if (event.type === 'subtask_completed') check(event.id, event.result, readingOf(number, event.id));
  }
  if (isTeam(number)) {
    const { answer: final, finalAgent, votes: all } = JSON.parse(end) as OrchestrationResult;
    check('final answer', final, `FINAL OF ${finalAgent}: ${readingOf(number, finalAgent)}`);
    for (const { agent, reason, voter } of all) check('vote of the result', reason, `VOTE OF ${voter} for ${agent}`);
    if (all.length !== agents.length) wrong.push(`${all.length} votes`);
  } else {
    const { answer: final, subtasks: done } = JSON.parse(end) as SolveResult;
    for (const id of steps) check('final answer', final.includes(readingOf(number, id)), 'true');
    for (const { id, result } of done) check(`result of ${id}`, result, readingOf(number, id));
  }
  return wrong;
}
