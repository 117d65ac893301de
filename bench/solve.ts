/**
 * `npm run bench -- solve`: what the execution of a plan costs beside a bare Temporal workflow with the same waits, and
 * what it saves that only failed subtasks run again. Quote the ratios, not the seconds.
 */
import type { SolveResult } from '../src/protocol/plan-and-execute.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../test/support/solve-script.ts';
import { openStage, pairsOf, timed } from './stage.ts';

const rounds = 7;
const count = 20;
const atATime = 5;
const callMs = 1000;

/** The document "Retry Optimization", Performance Impact: three of ten fail, one of them twice. */
const failures: Record<string, number> = { step_2: 1, step_5: 1, step_9: 2 };

let size = count;
let delay = callMs;
let course: 'smooth' | 'selective' | 'full' = 'smooth';
/** How often each subtask was carried out in this run. */
let times = new Map<string, number>();

const steps = (round: number): string[] =>
  Array.from({ length: size }, (_, index) => `step_${index + 1}${round === 1 ? '' : `_again_${round}`}`);

const script = solveScript({
  plan: () => {
    const round = (times.get('plan') ?? 0) + 1;
    times.set('plan', round);
    return subtasks(...steps(round));
  },
  work: ({ id }) => {
    const [step = ''] = id.split('_again_');
    const time = (times.get(step) ?? 0) + 1;
    times.set(step, time);
    if (course === 'smooth' || time > (failures[step] ?? 0)) return completed(`Result of ${id}.`);
    // The old way knows of no failed subtask: a new plan does everything anew.
    return course === 'full' ? completed(`Nothing for ${id}.`) : failed('Not found.');
  },
  validate: () => {
    const time = (times.get('validate') ?? 0) + 1;
    times.set('validate', time);
    return course === 'smooth' || time > 2 ? valid : invalid('Some of it');
  },
});
const stage = await openStage(async (seen) => ({ ...(await script(seen)), delay }));
const { model, reprise } = stage;

async function solve(): Promise<SolveResult> {
  times = new Map();
  const config = { plan: { backend: { type: 'openai' as const }, max_parallel_subtasks: atATime } };
  return reprise.client.workflow.execute('planAndExecute', {
    taskQueue: 'reprise',
    workflowId: `solve-${Math.random()}`,
    args: [{ problem: 'P', config }],
  }) as Promise<SolveResult>;
}

async function compare(): Promise<void> {
  const over = await pairsOf(
    rounds,
    () => timed(() => stage.bare('fewAtATime', [count, atATime, callMs])),
    () => timed(solve),
  );
  const ideal = (4 + count / atATime) * callMs;
  console.log(
    `A plan of ${count} subtasks, ${atATime} at a time, ${callMs / 1000} s a call: wall over critical path ` +
      `${over(({ own }) => own / ideal).toFixed(3)}, bare workflow ${over(({ bare }) => bare / ideal).toFixed(3)}, ratio ` +
      `${over(({ bare, own }) => own / bare).toFixed(3)} (medians of ${rounds} pairs)`,
  );
}

async function save(): Promise<void> {
  size = 10;
  delay = 0;
  console.log('Ten subtasks, of which three fail, and two rounds of repetition:');
  for (const [name, each] of [
    ['only what failed runs again', 'selective'],
    ['everything runs again', 'full'],
  ] as const) {
    course = each;
    model.requests.length = 0;
    const { executions } = await solve();
    const characters = model.requests.reduce((sum, { prompt }) => sum + prompt.length, 0);
    // About four characters a token, as providers count English.
    const tokens = Math.round(characters / 4).toLocaleString('en-US');
    console.log(
      `  ${name}: ${executions} executions, ${model.requests.length} model calls, about ${tokens} tokens of prompts`,
    );
  }
}

await compare();
await save();

await stage.close();
process.exit(0);
