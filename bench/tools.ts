/**
 * `npm run bench -- tools`: what one agent with tools costs: ten model calls of 200 ms and nine quick tool calls between
 * them, beside a bare Temporal workflow with ten such activities and nothing else. Medians of pairs: quote the ratio.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentOf, call, toolResults } from '../test/support/agent-script.ts';
import { median, openStage } from './stage.ts';

const rounds = 9;
const calls = 10;
const milliseconds = 200;

const stage = await openStage((seen) => ({
  ...(toolResults(seen).length < calls - 1 ? call('note', { text: 'x' }) : { text: 'Done.' }),
  delay: milliseconds,
}));
writeFileSync(
  join(stage.home, 'quick.ts'),
  `
const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
export const tools = [
  { name: 'note', description: 'Note.', parameters, sideEffects: false, execute: ({ text }: { text: string }) => text },
];
`,
);
const { client } = stage.reprise;
const input = { config: agentOf('openai', { simple: { max_thoughts: 20 } }, ['quick']), text: 'T' };

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const pairs: Array<{ bare: number; own: number }> = [];
for (let round = 0; round <= rounds; round++) {
  const bare = await timed(() => stage.bare('inSequence', [calls, milliseconds]));
  const own = await timed(() =>
    client.workflow.execute('session', { taskQueue: 'reprise', workflowId: `agent-${round}`, args: [input] }),
  );
  // The first round warms both up.
  if (round > 0) pairs.push({ bare, own });
}
const over = (pick: (pair: { bare: number; own: number }) => number): string => median(pairs.map(pick)).toFixed(3);
const ideal = calls * milliseconds;
console.log(
  `One agent, ${calls} calls of ${milliseconds} ms and ${calls - 1} quick tool calls: wall over model time ` +
    `${over(({ own }) => own / ideal)}, bare workflow ${over(({ bare }) => bare / ideal)}, ` +
    `ratio ${over(({ bare, own }) => own / bare)} (medians of ${rounds} pairs)`,
);
await stage.close();
process.exit(0);
