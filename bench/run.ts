/**
 * `npm run bench -- run`: what Reprise costs beside the model's own time. Every figure is measured in this run, on this
 * machine, beside a bare Temporal workflow with the same activities: quote the ratios, not the seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import proto from '@temporalio/proto';
import type { Reprise } from '../src/client.ts';
import type { ModelServer } from '../test/support/model-server.ts';
import { answer, submit, teamScript, vote } from '../test/support/team-script.ts';
import { median, openStage } from './stage.ts';

const rounds = 9;
const phases = 3;

let delay = 300;
const stage = await openStage(async (seen) => {
  const reply = teamScript({
    answer: () => answer('A'),
    vote: () => vote('agent1', 'r'),
    decide: () => submit(),
    present: () => ({ text: 'F' }),
  })(seen);
  return { ...(await reply), delay };
});
const { model, reprise } = stage;

const config = (restarts: number) => ({
  agents: ['a', 'b', 'c'].map((id) => ({ id, backend: { type: 'openai' as const } })),
  orchestrator: { coordination: { max_orchestration_restarts: restarts } },
});

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function compare(milliseconds: number, client: Reprise): Promise<void> {
  delay = milliseconds;
  const critical = (phases * milliseconds) / 1000;
  const pairs: Array<{ floor: number; reprise: number }> = [];
  for (let round = 0; round <= rounds; round++) {
    const floor = await secondsOf(() => stage.bare('floor', [milliseconds]));
    const own = await secondsOf(async () =>
      (await client.startOrchestration({ task: 'T', config: config(0) })).result(),
    );
    // The first round warms both up.
    if (round > 0) pairs.push({ floor, reprise: own });
  }
  const over = (pick: (pair: { floor: number; reprise: number }) => number): string =>
    median(pairs.map(pick)).toFixed(3);
  console.log(
    `3 agents x ${phases} phases at ${milliseconds} ms: wall over critical path ${over((pair) => pair.reprise / critical)}, ` +
      `bare workflow ${over((pair) => pair.floor / critical)}, ratio ${over((pair) => pair.reprise / pair.floor)} (medians of ${rounds} pairs)`,
  );
}

/** Everything that a model reads or is told in a run whose task, answers and reasons are one character each. */
function promptCharacters({ requests }: ModelServer): number {
  return requests.reduce((sum, { prompt, body }) => sum + prompt.length + JSON.stringify(body.tools ?? []).length, 0);
}

async function weigh(client: Reprise): Promise<void> {
  delay = 0;
  model.requests.length = 0;
  const run = await client.startOrchestration({ task: 'T', config: config(2) });
  await run.result();
  const history = await client.client.workflow.getHandle(run.id).fetchHistory();
  const bytes = proto.temporal.api.history.v1.History.encode(history).finish().length;
  console.log(`A run of ${model.requests.length} calls (answers, votes, decision, presentation):`);
  console.log(`  framework text in its prompts: ${promptCharacters(model)} characters (tools included)`);
  console.log(`  history: ${history.events?.length ?? 0} events, ${bytes} bytes`);
}

async function hold(client: Reprise, count: number): Promise<void> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  delay = 20_000;
  const runs = [];
  for (let index = 0; index < count; index++)
    runs.push(await client.startOrchestration({ task: 'T', config: config(0) }));
  while (model.requests.filter(({ answered }) => !answered).length < count) await pause(100);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  console.log(
    `Memory: ${(before / 2 ** 20).toFixed(0)} MB with the SDK loaded, ${grown.toFixed(0)} MB more with ${count} open runs`,
  );
  await Promise.all(runs.map(({ id }) => client.client.workflow.getHandle(id).terminate()));
}

await compare(300, reprise);
await compare(2000, reprise);
await weigh(reprise);
await hold(reprise, 50);

await stage.close();
process.exit(0);
