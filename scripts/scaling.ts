/**
 * Simulates many runs on a plant of one's own description, and tells what breaks first:
 * `npm run simulate -- --runs-per-day 1000000 --workers 24`. The defaults are what docs/scaling.md measures.
 */
import { parseArgs } from 'node:util';
import { resources, simulate, type Plant, type Resource } from './scaling/simulate.ts';

const defaults = {
  'runs-per-day': 10_000,
  minutes: 10,
  seed: 1,
  workers: 1,
  slots: 200,
  'call-seconds': 8,
  'worker-ms': 20,
  'temporal-calls': 60,
  'store-commits': 500,
  'provider-calls-per-minute': 10_000,
  'dollars-per-call': 0.01,
};
type Name = keyof typeof defaults;

const help = `npm run simulate -- [OPTIONS]   what breaks first, and how long runs take

  --runs-per-day N               runs that are started in a day, at random moments (${defaults['runs-per-day']})
  --workers N                    worker processes (${defaults.workers})
  --slots N                      calls that a worker has under way at most (${defaults.slots})
  --call-seconds S               the median of a model call's time (${defaults['call-seconds']})
  --worker-ms MS                 a worker's processor time for each call (${defaults['worker-ms']})
  --temporal-calls N             calls that Temporal takes through in a second (${defaults['temporal-calls']})
  --store-commits N              replies that the store commits in a second (${defaults['store-commits']})
  --provider-calls-per-minute N  what the providers admit (${defaults['provider-calls-per-minute']})
  --dollars-per-call D           what a model call costs (${defaults['dollars-per-call']})
  --minutes N, --seed N          how long runs are started, and which random numbers (${defaults.minutes}, ${defaults.seed})

Example: one laptop, ten thousand runs a day, and then a million on a cluster
  npm run simulate
  npm run simulate -- --runs-per-day 1000000 --workers 24 --temporal-calls 2000 --store-commits 5000 \\
    --provider-calls-per-minute 60000`;

/** The mix of runs that docs/scaling.md reckons with, with the calls that each kind makes side by side, phase by phase. */
const shapes: Plant['shapes'] = [
  { share: 0.4, phases: [3, 3, 1, 1] },
  { share: 0.3, phases: [1] },
  { share: 0.1, phases: [1, 1, 1] },
  { share: 0.2, phases: [1, 1, 5, 3, 1, 1] },
];

const names = Object.keys(defaults) as Name[];
const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));

function read(): Partial<Record<string, string | boolean>> {
  try {
    return parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

const values = read();
if (values['help'] === true) {
  console.log(help);
  process.exit(0);
}
const given = (name: Name): number => {
  const value = Number(values[name] ?? defaults[name]);
  if (value > 0) return value;
  console.error(`--${name} must be a number above 0, and is ${values[name]}`);
  process.exit(2);
};

const runsPerSecond = given('runs-per-day') / 86_400;
const plant: Plant = {
  shapes,
  runsPerSecond,
  callMs: given('call-seconds') * 1000,
  callSigma: 0.6,
  workers: given('workers'),
  slots: given('slots'),
  workerMs: given('worker-ms'),
  temporalCalls: given('temporal-calls'),
  storeCommits: given('store-commits'),
  providerCalls: given('provider-calls-per-minute') / 60,
};
const outcome = simulate(plant, given('minutes') * 60, given('seed'));

const what: Record<Resource, string> = {
  temporal: 'Temporal',
  slots: "workers' slots",
  provider: 'providers',
  worker: "workers' processors",
  store: 'the store',
};
const percent = (part: number): string => `${(100 * part).toFixed(0)}%`;
const perDay = (outcome.calls / outcome.started) * given('runs-per-day');
console.log(`${outcome.started} runs in ${given('minutes')} minutes, ${outcome.calls} calls`);
console.log(
  `A run takes ${outcome.slowdown.median.toFixed(2)} of its calls' own time (median), ${outcome.slowdown.p95.toFixed(2)} (95th of 100)`,
);
for (const name of resources) {
  console.log(
    `  ${what[name].padEnd(20)} ${percent(outcome.use[name]).padStart(4)} in use, a call waits ${outcome.waited[name].toFixed(0)} ms for it`,
  );
}
const busiest = resources.toSorted((one, other) => outcome.use[other] - outcome.use[one])[0] ?? 'slots';
const room = outcome.use[busiest];
console.log(
  room > 0.9
    ? `Too much: ${what[busiest]} cannot keep up, and every run waits for it`
    : `First to break: ${what[busiest]}, at about ${Math.round(given('runs-per-day') / room).toLocaleString('en')} runs a day`,
);
console.log(
  `A day: ${Math.round(perDay).toLocaleString('en')} calls, ${Math.round(perDay * given('dollars-per-call')).toLocaleString('en')} dollars`,
);
