import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Config } from '../../config/kinds.ts';
import { mayStart, type Access } from '../access.ts';
import { defaultName, namedConfigs } from '../configs.ts';
import { HttpProblem } from '../problems.ts';
import type { Served } from '../served.ts';
import { assertReached, ownId, startNamed } from '../start.ts';
import { choices, reply } from './reply.ts';
import { longestWait } from './view.ts';

export interface Caller {
  served: Served;
  access: Access;
}

/** A tool. It does something, and then there is a run to tell of. */
export interface Tool {
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodType<Given>;
  /** Whether it starts a run, which may go on as a task of the protocol. */
  starts?: true;
  /** @returns the run's id @throws `HttpProblem`, and the client's errors */
  act(given: Given): Promise<string>;
}

export interface Given {
  wait: number;
  [key: string]: string | number | undefined;
}

const wait = (usual: number) =>
  z
    .int()
    .min(0)
    .max(longestWait)
    .default(usual)
    .describe('How many seconds to wait until the run has ended or waits for a person; 0: only look');

const run = z.string().min(1).max(1000).describe("The run's id");

const decisions = z.enum([...new Set(Object.values(choices).flat())]);

const starting: Array<[name: string, key: string, kinds: Config['kind'][], description: string]> = [
  [
    'ask_team',
    'task',
    ['team', 'agent'],
    'Lets a team of agents answer a task: each answers, they vote, and the best answer is presented and judged.',
  ],
  ['research', 'idea', ['research'], 'Researches an idea and its prior art, critically, and writes a report.'],
  ['solve', 'problem', ['plan'], 'Solves a problem by a plan of subtasks, and validates the solution.'],
];

/** The tools of a caller, of which those that start runs are there if it may start any by them. */
export function toolsOf({ access, served }: Caller): Record<string, Tool> {
  const namesOf = (kinds: Config['kind'][]): string[] =>
    namedConfigs(served.configs, access).flatMap(({ kind, name }) => (kinds.includes(kind) ? [name] : []));
  const starter = (key: string, kinds: Config['kind'][], description: string): Tool => ({
    description,
    annotations: { destructiveHint: false, openWorldHint: true },
    get input() {
      const names = namesOf(kinds);
      const choice = names.length === 0 ? 'there is only the default' : `or one of these: ${names.join(', ')}`;
      const configuration = mayStart(access, defaultName)
        ? z
            .string()
            .default(defaultName)
            .describe(`Leave it out${names.length === 0 ? ':' : ','} ${choice}`)
        : z.enum(names, `This token may start: ${names.join(', ')}`);
      return z.strictObject({
        [key]: z.string().min(1),
        configuration,
        id: z
          .string()
          .regex(/^[\w.:-]{1,200}$/, 'has letters, digits and . : - _ alone')
          .optional()
          .describe('An id for the run, by which the same request finds it again; a new one when absent'),
        wait: wait(longestWait),
      }) as unknown as z.ZodType<Given>;
    },
    starts: true,
    async act({ configuration, id, [key]: text }) {
      const wanted = { name: String(configuration), kinds, text: String(text) };
      const own = id !== undefined && { id: ownId(access, String(id)) };
      const { run } = await startNamed(served, access, { ...wanted, ...own });
      return run.id;
    },
  });
  const starters = starting.filter(([, , kinds]) => mayStart(access, defaultName) || namesOf(kinds).length > 0);
  return {
    ...Object.fromEntries(starters.map(([name, ...how]) => [name, starter(...how)])),
    answer: {
      description:
        'Tells a run what a person has decided about what waits. Ask your user first: it may let an agent act.',
      annotations: { destructiveHint: true, openWorldHint: true },
      input: z.strictObject({
        run,
        question: z.string().optional().describe('The questionId of what waits, where several things do'),
        text: z.string().max(100_000).default('').describe('The answer to a question; else a reason, or a note'),
        decision: decisions.optional().describe('What is decided where it is no question, or that it is skipped'),
        wait: wait(longestWait),
      }),
      async act({ decision, question, run, text }) {
        const id = String(run);
        assertReached(access, id);
        await served.reprise.getRun(id).assertOpen();
        const pending = await served.reprise.getRun(id).pendingQuestions();
        const [found, other] = pending.filter(({ questionId }) => [undefined, questionId].includes(question as string));
        const there = pending.map(({ questionId }) => questionId).join(', ') || 'nothing';
        if (found === undefined)
          throw new HttpProblem(409, `${question ?? 'Nothing'} waits no longer; there is: ${there}`);
        if (other !== undefined) throw new HttpProblem(409, `Several things wait; name one by question: ${there}`);
        await reply(served.reprise, id, found, { decision: decision as string | undefined, text: String(text) });
        return id;
      },
    },
    status: {
      description: 'Tells the state of a run, what of it waits for a person, and its answer once it has ended.',
      annotations: { readOnlyHint: true },
      input: z.strictObject({ run, wait: wait(0) }),
      act: async ({ run }) => String(run),
    },
  };
}
