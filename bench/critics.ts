/**
 * `node bench/critics.ts [REPLIES] [SEED]`: research runs with made-up settings, replies and signals, twenty at a time,
 * until their critics have replied so often (default: 10,000). Prints every run that breaks a rule of
 * `test/support/generated-research.ts`, with its replies; exits 1 where one did.
 */
import { GeneratedResearch } from '../test/support/generated-research.ts';
import { startSearchServer } from '../test/support/search-server.ts';
import { openStage } from './stage.ts';

const wanted = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
const sideBySide = 20;

const generated = new GeneratedResearch(seed);
const service = await startSearchServer(generated.find);
const stage = await openStage(generated.script, undefined, { SEARXNG_URL: service.url });
const startedAt = performance.now();
console.log(`Seed ${seed}`);

let runs = 0;
let broken = 0;
let told = 0;

function progress(): void {
  const thousands = Math.floor(generated.criticisms / 1000);
  if (thousands === told) return;
  told = thousands;
  // Requests and searches that nobody looks at any more.
  stage.model.requests.length = 0;
  service.searches.length = 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${generated.criticisms} replies of critics in ${runs} runs, ${seconds} s`);
}

async function runOn(): Promise<void> {
  while (generated.criticisms < wanted) {
    const number = runs++;
    try {
      await generated.run(stage.reprise.client, 'reprise', number);
    } catch (error) {
      broken += 1;
      console.error((error as Error).message);
    }
    progress();
  }
}

await Promise.all(Array.from({ length: sideBySide }, runOn));
const ends = [...generated.ends].map(([end, count]) => `${count} ${end}`).join(', ');
console.log(`Seed ${seed}: ${generated.criticisms} replies of critics, ${runs} runs (${ends}), ${broken} broken`);
await service.close();
await stage.close();
process.exit(broken === 0 ? 0 : 1);
