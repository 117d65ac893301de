/**
 * `node bench/exact-calls.ts [RUNS]`: how many model calls each course of an orchestration makes, over many runs
 * through both wires, ten at a time. Prints one line a course; exits 1 where any run made another number.
 */
import { restart, submit, teamOf, teamScript } from '../test/support/team-script.ts';
import { openStage } from './stage.ts';

const runs = Number(process.argv[2] ?? 100);
const sideBySide = 10;

/** `restarts`: how often the judge asks for one. */
const courses = [
  { name: 'no restarts configured', calls: 7, restarts: 0, coordination: { max_orchestration_restarts: 0 } },
  { name: 'default', calls: 8, restarts: 0, coordination: {} },
  { name: 'one restart before presenting', calls: 15, restarts: 1, coordination: {} },
  {
    name: 'one restart after presenting',
    calls: 16,
    restarts: 1,
    coordination: { enable_post_presentation_evaluation: true },
  },
  { name: 'always restarts before presenting', calls: 22, restarts: 9, coordination: {} },
  {
    name: 'always restarts after presenting',
    calls: 24,
    restarts: 9,
    coordination: { enable_post_presentation_evaluation: true },
  },
];

let restarts = 0;
const stage = await openStage(
  teamScript({ decide: ({ attempt }) => (attempt <= restarts ? restart('Again.', 'Better.') : submit()) }),
);
const { model, reprise } = stage;

for (const { name, calls, restarts: wanted, coordination } of courses) {
  restarts = wanted;
  for (const type of ['openai', 'claude']) {
    let exact = 0;
    const config = teamOf(['agent_a', 'agent_b', 'agent_c'], { type }, coordination);
    const runMany = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        // The task's number tells this run's requests from those beside it.
        const task = `Task number ${Math.random().toString(36).slice(2)}.`;
        const run = await reprise.startOrchestration({ task, config });
        const { usage } = await run.result();
        const requests = model.requests.filter(({ prompt }) => prompt.includes(task)).length;
        if (requests === calls && usage.calls === calls) exact += 1;
      }
    };
    await Promise.all(Array.from({ length: sideBySide }, () => runMany(runs / sideBySide)));
    console.log(`${type}: ${name}: ${exact} of ${runs} runs made exactly ${calls} calls`);
    if (exact !== runs) process.exitCode = 1;
    model.requests.length = 0;
  }
}

await stage.close();
process.exit();
