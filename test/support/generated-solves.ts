import type { Client } from '@temporalio/client';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import { Dice } from './dice.ts';
import type { Script, Scripted } from './model-server.ts';
import { analysis, completed, failed, invalid, solveScript, subtasks, valid, type Step } from './solve-script.ts';

/** One run, by its number: what it is started with, and what its validator has said. */
interface Course {
  dice: Dice;
  config: object;
  rounds: number;
  /** Ids of the subtasks that were planned so far. */
  planned: string[];
  /** Whether the validator's last reply named something that is missing. */
  namedMissing: boolean;
}

/** How a run ended, beside what it was allowed and told. */
export interface Ended {
  result: SolveResult;
  rounds: number;
  namedMissing: boolean;
}

const call = (name: string, input: object | string): Scripted => ({ calls: [{ name, arguments: input }] });

/** What an agent of a subtask does: it works, fails, or claims a success that is none. */
function workReply(dice: Dice, id: string): Scripted {
  return dice.weighted<() => Scripted>([
    [8, () => completed(`Result of ${id}.`)],
    [2, () => completed('I could not find anything.')],
    [2, () => completed('  ')],
    [3, () => failed('Not found.')],
    [2, () => ({ text: 'Done, everything is fine.' })],
    [1, () => ({ text: '{"name": "finish_subtask", "arguments": {"status": "completed", "result": "Written."}}' })],
    [1, () => call('finish_subtask', { result: 'No status.' })],
    [1, () => call('finish_subtask', '{"status": "comp')],
    [1, () => call('read_all', {})],
    [1, () => ({ status: 400 })],
  ])();
}

/** What the validator says: it judges, contradicts itself, cannot be understood, or breaks. */
function judgement(dice: Dice): Scripted {
  const submit = (input: object): Scripted => call('submit_validation', { quality: 'high', warnings: [], ...input });
  return dice.weighted<() => Scripted>([
    [6, () => valid],
    [4, () => invalid('The year')],
    [4, () => submit({ is_complete: true, missing_requirements: ['The year'] })],
    [1, () => submit({ is_complete: 'true', missing_requirements: 'The year' })],
    [2, () => submit({ is_complete: false, missing_requirements: [] })],
    [1, () => submit({ is_complete: true, missing_requirements: ['None'] })],
    [1, () => ({ text: '{"isComplete": true, "missingRequirements": ["The year"]}' })],
    [3, () => ({ text: 'The answer is complete, well done!' })],
    [1, () => call('submit_validation', '{"is_complete": tr')],
    [1, () => ({ status: 400 })],
  ])();
}

/** The first plan, and what the planner says when it is asked for more: some of it cannot be used. */
function planReply({ dice, planned }: Course): Scripted {
  const isFirst = planned.length === 0;
  const earlier = [...planned];
  const step = (): Step => {
    const id = `step_${planned.length + 1}`;
    const depends_on = planned.filter(() => dice.chance(0.3));
    planned.push(id);
    const replaces = isFirst || dice.chance(0.3) ? undefined : earlier.filter(() => dice.chance(0.4));
    return { id, depends_on, ...(replaces !== undefined && { replaces }) };
  };
  if (isFirst) return subtasks(...dice.many(1, 4, step));
  return dice.weighted<() => Scripted>([
    [8, () => subtasks(...dice.many(1, 2, () => ({ ...step(), depends_on: [] })))],
    [3, () => subtasks(...dice.many(1, 2, step))],
    [2, () => subtasks()],
    [1, () => subtasks('step_1')],
    [1, () => ({ text: '1. Look again\n2. And again' })],
    [1, () => ({ text: 'There is no other way.' })],
    [1, () => ({ status: 400 })],
  ])();
}

const synthesis = (dice: Dice): Scripted =>
  dice.weighted<Scripted>([
    [8, { text: 'The answer.' }],
    [1, { text: '' }],
    [1, { text: 'The answer, cut', finish: 'length' }],
    [1, { status: 400 }],
  ]);

/** Whether a reply, read as a person would, names something that is missing. */
const namesMissing = (reply: Scripted): boolean => JSON.stringify(reply).includes('The year');

/** Problems whose plans, executors and validators are all made up, and can be had again by their seed. */
export class GeneratedSolves {
  readonly seed: number;
  readonly #courses = new Map<number, Course>();

  constructor(seed: number) {
    this.seed = seed;
  }

  /** The model of all runs, which are told apart by their problems. */
  readonly script: Script = (seen) => {
    const course = this.#courses.get(Number(/Problem (\d+)\./.exec(seen.prompt)?.[1]));
    if (course === undefined) return { status: 404 };
    const { dice } = course;
    return solveScript({
      analyse: () => analysis(['The title', 'The year of it']),
      plan: () => planReply(course),
      work: ({ id }) => workReply(dice, id),
      synthesise: () => synthesis(dice),
      validate: () => {
        const reply = judgement(dice);
        course.namedMissing = namesMissing(reply);
        return reply;
      },
    })(seen);
  };

  async run(client: Client, taskQueue: string, number: number): Promise<Ended> {
    const dice = new Dice(this.seed + number);
    const rounds = dice.whole(0, 3);
    const loop = dice.one([{ max_thoughts: 2 }, { max_thoughts: 4 }, { orchestrator: 'react', max_iterations: 1 }]);
    const config = {
      plan: {
        backend: { type: 'openai' },
        executor: loop,
        max_retries: rounds,
        max_parallel_subtasks: dice.whole(1, 4),
        max_subtasks: dice.one([4, 6, 50]),
      },
    };
    const course: Course = { dice, config, rounds, planned: [], namedMissing: false };
    this.#courses.set(number, course);
    const input = { problem: `Problem ${number}.`, config };
    const result = await client.workflow.execute<(input: object) => Promise<SolveResult>>('planAndExecute', {
      taskQueue,
      workflowId: `${taskQueue}-${number}`,
      args: [input],
    });
    return { result, rounds, namedMissing: course.namedMissing };
  }
}
