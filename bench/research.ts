/**
 * `npm run bench -- research`: what a research run of two iterations costs beside a bare Temporal workflow that waits as
 * long: five model calls of 1 s, and twice five searches of 300 ms side by side. Medians of pairs: quote the ratios.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { criticism, plan, reportOn, researchScript } from '../test/support/research-script.ts';
import { startSearchServer } from '../test/support/search-server.ts';
import { openStage, pairsOf, promptCharacters, timed } from './stage.ts';

const rounds = 7;
const manyRounds = 3;
const together = 50;
const callMs = 1000;
const searchMs = 300;
const queries = ['1', '2', '3', '4', '5'];

let delay = callMs;
/** What the critic of the second plan waits for. */
let gate: Promise<void> = Promise.resolve();

const service = await startSearchServer(async ({ query }) => {
  await pause(delay === 0 ? 0 : searchMs);
  return { results: [{ title: query, url: `https://${query}.example`, content: '' }] };
});
const script = researchScript({
  plan: ({ iteration }) => plan(iteration === 1 ? 'a' : 'b', queries),
  criticise: async ({ idea }) => {
    if (idea === 'a') return criticism(20);
    await gate;
    return criticism(72);
  },
  synthesise: reportOn,
});
const stage = await openStage(async (seen) => ({ ...(await script(seen)), delay }), undefined, {
  SEARXNG_URL: service.url,
});
const { model, reprise } = stage;
const input = {
  idea: 'I',
  config: {
    research: { backend: { type: 'openai' as const }, search: { provider: 'searxng' as const, read_pages: 0 } },
  },
};

async function research(): Promise<void> {
  const { iterations, outcome } = await (await reprise.startResearch(input)).result();
  const scores = iterations.map(({ score }) => score).join();
  if (outcome !== 'viable' || scores !== '20,72') throw new Error(`another course: ${outcome}, ${scores}`);
}

const bare = () => stage.bare('twoIterations', [callMs, searchMs, queries.length]);

const many = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: together }, work));

async function compareOne(): Promise<void> {
  const over = await pairsOf(
    rounds,
    () => timed(bare),
    () => timed(research),
  );
  const ideal = 5 * callMs + 2 * searchMs;
  console.log(
    `A research run of two iterations: wall over critical path ${over(({ own }) => own / ideal).toFixed(3)}, bare workflow ` +
      `${over((pair) => pair.bare / ideal).toFixed(3)}, ratio ${over((pair) => pair.own / pair.bare).toFixed(3)} ` +
      `(medians of ${rounds} pairs)`,
  );
}

async function compareMany(): Promise<void> {
  const over = await pairsOf(
    manyRounds,
    () => timed(() => many(bare)),
    () => timed(() => many(research)),
  );
  console.log(
    `${together} of them at once: ${over(({ own }) => own / 1000).toFixed(1)} s, bare workflows ` +
      `${over((pair) => pair.bare / 1000).toFixed(1)} s, ratio ${over((pair) => pair.own / pair.bare).toFixed(3)} ` +
      `(medians of ${manyRounds} pairs)`,
  );
}

/** All of them at their last criticism: plans, material and a restart are behind them. */
async function hold(): Promise<void> {
  model.requests.length = 0;
  global.gc?.();
  const before = process.memoryUsage().rss;
  delay = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const all = many(research);
  const held = () => model.requests.filter(({ answered }) => !answered).length;
  while (held() < together || model.requests.length < 4 * together) await pause(100);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  console.log(
    `Memory: ${(before / 2 ** 20).toFixed(0)} MB before, ${grown.toFixed(0)} MB more with ${together} of them open`,
  );
  resolve();
  await all;
}

async function weigh(): Promise<void> {
  delay = 0;
  model.requests.length = 0;
  const run = await reprise.startResearch(input);
  await run.result();
  const { bytes, events } = await stage.historyOf(run.id);
  console.log(`A research run of ${model.requests.length} calls and ${2 * queries.length} searches:`);
  console.log(
    `  framework text in its prompts: ${promptCharacters(model)} characters (tools and addresses of hits included)`,
  );
  console.log(`  history: ${events} events, ${bytes} bytes`);
}

await compareOne();
await weigh();
await hold();
delay = callMs;
await compareMany();
await service.close();
await stage.close();
process.exit(0);
