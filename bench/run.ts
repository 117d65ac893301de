/**
 * `npm run bench -- run`: what Reprise costs beside the model's own time. Every figure is measured in this run, on this
 * machine, beside a bare Temporal workflow with the same activities: quote the ratios, not the seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { judgedTeam, teamOfThree } from './cases.ts';
import { compareWithFloor, openCaseStage } from './measure.ts';
import { promptCharacters } from './stage.ts';

const rounds = 9;

const stage = await openCaseStage();
const { model } = stage;

/** Of a run whose task, answers and reasons are one character each. */
async function weigh(): Promise<void> {
  model.requests.length = 0;
  const id = await stage.run(judgedTeam(0));
  const { bytes, events } = await stage.historyOf(id);
  console.log(`A run of ${model.requests.length} calls (answers, votes, decision, presentation):`);
  console.log(`  framework text in its prompts: ${promptCharacters(model)} characters (tools included)`);
  console.log(`  history: ${events} events, ${bytes} bytes`);
}

async function hold(count: number): Promise<void> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  // Never answered while they are looked at.
  const slow = teamOfThree(20_000);
  const runs = await Promise.all(Array.from({ length: count }, () => stage.start(slow)));
  while (model.requests.filter(({ answered }) => !answered).length < count) await pause(100);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  console.log(
    `Memory: ${(before / 2 ** 20).toFixed(0)} MB with the SDK loaded, ${grown.toFixed(0)} MB more with ${count} open runs`,
  );
  await Promise.all(runs.map((run) => run.terminate()));
}

for (const milliseconds of [300, 2000]) await compareWithFloor(stage, teamOfThree(milliseconds), rounds);
await weigh();
await hold(50);

await stage.close();
process.exit(0);
