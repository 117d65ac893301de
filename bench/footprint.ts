/**
 * `npm run bench -- footprint`: what one run of each kind leaves behind: calls, events and bytes of its history, rows and
 * bytes in the store, and what `reprise prune` leaves of all of them. Answers have 2,000 characters. docs/scaling.md quotes
 * these figures; they are the same everywhere.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Script } from '../test/support/model-server.ts';
import { criticism, plan, reportOn, researchScript } from '../test/support/research-script.ts';
import { startSearchServer } from '../test/support/search-server.ts';
import { completed, solveScript, subtasks, valid } from '../test/support/solve-script.ts';
import { answer, submit, teamScript, vote } from '../test/support/team-script.ts';
import { pruneStore } from '../src/cli/commands/prune.ts';
import { openStore } from '../src/store/open-store.ts';
import { openStage } from './stage.ts';

const text = 'An answer of some length. '.repeat(77);
const backend = { type: 'openai' as const };
const queries = ['1', '2', '3', '4', '5'];

const team = teamScript({
  answer: () => answer(text),
  vote: () => vote('agent1', 'It is right in all that it says, and complete.'),
  decide: () => submit(),
  present: () => ({ text }),
});

interface Kind {
  name: string;
  type: string;
  input: object;
  script: Script;
}

const kinds: Kind[] = [
  {
    name: 'orchestration, three agents',
    type: 'orchestration',
    input: { task: 'T', config: { agents: ['a', 'b', 'c'].map((id) => ({ id, backend })) } },
    script: team,
  },
  {
    name: 'session, one turn of one agent',
    type: 'session',
    input: { text: 'T' },
    script: () => ({ text }),
  },
  {
    name: 'research, one iteration, five searches',
    type: 'research',
    input: { idea: 'I', config: { research: { backend, search: { provider: 'searxng', read_pages: 0 } } } },
    script: researchScript({ plan: () => plan('a', queries), criticise: () => criticism(72), synthesise: reportOn }),
  },
  {
    name: 'planAndExecute, eight subtasks',
    type: 'planAndExecute',
    input: { problem: 'P', config: { plan: { backend } } },
    script: solveScript({
      plan: () => subtasks(...Array.from({ length: 8 }, (_, index) => `step_${index + 1}`)),
      work: () => completed(text),
      validate: () => valid,
    }),
  },
];

let script: Script = team;
const service = await startSearchServer(({ query }) => ({
  results: [1, 2, 3, 4, 5].map((place) => ({
    title: query,
    url: `https://${query}-${place}.example`,
    content: text.slice(0, 300),
  })),
}));
const stage = await openStage((seen) => script(seen), undefined, { SEARXNG_URL: service.url });

/** Rows of all tables of the store, and the bytes that its file takes. */
function storeSize(): { rows: number; bytes: number } {
  const database = new DatabaseSync(join(stage.home, 'store.sqlite'), { timeout: 5000 });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  const rows = tables.reduce(
    (sum, { name }) => sum + Number(database.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()?.['n']),
    0,
  );
  const pages = database.prepare('PRAGMA page_count').get()?.['page_count'];
  const free = database.prepare('PRAGMA freelist_count').get()?.['freelist_count'];
  const size = database.prepare('PRAGMA page_size').get()?.['page_size'];
  database.close();
  return { rows, bytes: (Number(pages) - Number(free)) * Number(size) };
}

const times = 10;
for (const kind of kinds) {
  ({ script } = kind);
  const start = async (): Promise<string> => {
    const workflowId = `${kind.type}-${Math.random()}`;
    await stage.reprise.client.workflow.execute(kind.type, { taskQueue: 'reprise', workflowId, args: [kind.input] });
    return workflowId;
  };
  // The first run stores what all of its kind share, such as sets of tools.
  await start();
  stage.model.requests.length = 0;
  const before = storeSize();
  let last = '';
  for (let time = 0; time < times; time++) last = await start();
  const after = storeSize();
  const { bytes, events } = await stage.historyOf(last);
  console.log(
    `${kind.name}: ${stage.model.requests.length / times} calls, history ${events} events and ` +
      `${(bytes / 1000).toFixed(0)} KB, store ${((after.rows - before.rows) / times).toFixed(0)} rows and ` +
      `${((after.bytes - before.bytes) / times / 1000).toFixed(0)} KB`,
  );
}

/** What was written is left alone for a day, and a workflow for two hours more. This is some seconds old. */
const noGrace = -10_000;
const store = openStore(stage.home, {});
const prune = (days?: number) =>
  pruneStore(store, stage.reprise.client, {
    isDry: false,
    place: stage.home,
    grace: noGrace,
    tell: () => {},
    ...(days !== undefined && { days }),
  });
const ended = kinds.length * (times + 1);
const full = storeSize();
await prune();
const kept = storeSize();
await prune(0);
const past = storeSize();
await store.close();
const perRun = ({ rows, bytes }: { rows: number; bytes: number }): string =>
  `${(rows / ended).toFixed(1)} rows and ${(bytes / ended / 1000).toFixed(1)} KB a run`;
console.log(
  `${ended} ended runs of all kinds: the store has ${perRun(full)}; after prune, with all histories kept, ${perRun(kept)}; ` +
    `after prune --keep-days 0, ${perRun(past)}`,
);
await service.close();
await stage.close();
process.exit(0);
