/**
 * `npm run bench -- growth`: how cost grows with a run. Teams of 10, 30 and 100 agents with short and long answers and with one round of
 * votes and two; a plan of 200 subtasks with results of 20 KB, of which 100 run at a time, which somebody follows; a session of 500
 * turns with a model of 8,192 tokens, which is asked in the end for what was said in its third turn. Of each: what was sent to the
 * model, what history and store hold, the processor time of the worker with the model beside it, and its memory. Then a thousand runs
 * that wait for a person, which are listed, asked and answered behind a restart.
 *
 * Words name some of it, as in `node bench/growth.ts teams`: `teams`, `plan`, `session`, `waiting`.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { OrchestrationResult } from '../src/protocol/orchestration.ts';
import type { SolveResult } from '../src/protocol/plan-and-execute.ts';
import type { TurnResult } from '../src/protocol/session.ts';
import { pruneStore } from '../src/cli/commands/prune.ts';
import type { InboxQuestion, ListedRun } from '../src/client.ts';
import { openStore } from '../src/store/open-store.ts';
import { hasAsked } from '../test/support/asking.ts';
import type { Script } from '../test/support/model-server.ts';
import { completed, solveScript, subtasks, valid } from '../test/support/solve-script.ts';
import { answer, ask, submit, teamScript, vote } from '../test/support/team-script.ts';
import { openStage, timed } from './stage.ts';

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const backend = { type: 'openai' as const };

let script: Script = teamScript();
let sent = 0;
const stage = await openStage((seen) => {
  sent += Buffer.byteLength(seen.prompt);
  return script(seen);
});
const { client } = stage.reprise;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** The bytes that the content of the store takes. */
function storeBytes(): number {
  const database = new DatabaseSync(join(stage.home, 'store.sqlite'), { timeout: 5000 });
  const number = (pragma: string): number => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const bytes = (number('page_count') - number('freelist_count')) * number('page_size');
  database.close();
  return bytes;
}

/** Takes the figures of one run, and prints them in a line. @param work gives the id of the run, and what is to be said of it */
async function measured(name: string, work: () => Promise<{ id: string; said: string }>): Promise<void> {
  const [storeBefore, cpuBefore, startedAt] = [storeBytes(), process.cpuUsage(), performance.now()];
  sent = 0;
  let rss = 0;
  const memory = setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 100);
  const ended = await work().catch((error: unknown) => ({
    id: '',
    said: `FAILED: ${String((error as Error).cause ?? error)}`,
  }));
  clearInterval(memory);
  const { user, system } = process.cpuUsage(cpuBefore);
  stage.model.requests.length = 0;
  const history = ended.id === '' ? 0 : Number((await client.workflow.getHandle(ended.id).describe()).historySize);
  console.log(
    `${name}: ${ended.said}; sent ${megabytes(sent)}, history ${megabytes(history)}, store ` +
      `${megabytes(storeBytes() - storeBefore)}, processor ${((user + system) / 1e6).toFixed(1)} s, ` +
      `${((performance.now() - startedAt) / 1000).toFixed(1)} s in all, memory ${megabytes(rss)}`,
  );
}

async function team(agents: number, length: number, rounds: number): Promise<void> {
  const text = (name: string): string => `The answer of ${name}. `.padEnd(length, 'An answer of some length. ');
  const given = new Set<string>();
  script = teamScript({
    answer: ({ agent }) => answer(text(agent)),
    vote: ({ agent, prompt }) => {
      if (rounds === 1 || given.has(agent) || prompt.includes('once more') || agent !== 'a1')
        return vote('agent2', 'Right.');
      given.add(agent);
      return answer(text(`${agent} once more`));
    },
    decide: () => submit(),
    present: ({ prompt }) => ({ text: prompt.includes('Selected: agent2') ? 'Good.' : 'Bad.' }),
  });
  const config = {
    agents: Array.from({ length: agents }, (_, index) => ({
      id: `a${index + 1}`,
      backend,
      system_message: `I am a${index + 1}.`,
    })),
  };
  const id = `team-${agents}-${length}-${rounds}`;
  await measured(`${agents} agents, answers of ${length}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`, async () => {
    const args = [{ task: 'T', config }];
    const result = (await client.workflow.execute('orchestration', {
      taskQueue: 'reprise',
      workflowId: id,
      args,
    })) as OrchestrationResult;
    return { id, said: `${result.votes.length} votes, ${result.answer} (${result.outcome})` };
  });
}

async function plan(count: number, length: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const text = 'A result of some length. '.repeat(length / 25);
  script = solveScript({ plan: () => subtasks(...ids), work: () => completed(text), validate: () => valid });
  const config = { plan: { backend, max_parallel_subtasks: 100, max_subtasks: count } };
  await measured(`a plan of ${count} subtasks with results of ${length}`, async () => {
    const handle = await client.workflow.start('planAndExecute', {
      taskQueue: 'reprise',
      workflowId: 'plan',
      args: [{ problem: 'P', config }],
    });
    const over = new AbortController();
    let fetched = 0;
    const follow = async (): Promise<void> => {
      let from = 1;
      while (!over.signal.aborted) {
        await pause(500);
        const events = await handle.query<Array<{ seq: number }>, [number]>('events', from).catch(() => []);
        fetched += JSON.stringify([events, await handle.query('state').catch(() => '')]).length;
        from = (events.at(-1)?.seq ?? from - 1) + 1;
      }
    };
    const following = follow();
    const result = (await handle.result().finally(() => over.abort())) as SolveResult;
    await following;
    const done = result.subtasks.filter(({ status }) => status === 'completed').length;
    return { id: 'plan', said: `${done} completed (${result.outcome}), a follower fetched ${megabytes(fetched)}` };
  });
}

async function session(turns: number): Promise<void> {
  let calls = 0;
  // It knows what is before its eyes, and summarises what it is given.
  script = ({ prompt }) => {
    calls += 1;
    const facts = [...new Set(prompt.match(/The code of \w+ is \d+\./g))].join(' ');
    return {
      text:
        prompt.includes('Which codes?') || prompt.includes('earlier summary')
          ? `${facts} `
          : 'A reply of some length. '.repeat(20),
    };
  };
  const config = {
    modules: [
      { module: 'OpenAIProvider', id: 'llm', config: { model: 'gpt-4' } },
      { module: 'SimpleToolOrchestrator', id: 'agent', config: {} },
    ],
    exchange: [
      { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
      { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
    ],
  };
  await measured(`a session of ${turns} turns with 8,192 tokens`, async () => {
    const handle = await client.workflow.start('session', {
      taskQueue: 'reprise',
      workflowId: 'session',
      args: [{ config }],
    });
    let last = '';
    for (let turn = 1; turn <= turns; turn++) {
      const said =
        turn === 3 ? 'The code of Ada is 4711.' : turn === turns ? 'Which codes?' : `Question ${turn}? `.repeat(10);
      ({ answer: last } = await handle.executeUpdate<TurnResult, [string]>('handleText', { args: [said] }));
    }
    return { id: 'session', said: `${calls} calls, and in the end it says "${last.trim()}"` };
  });
}

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => (await timed(work)) / 1000;

/** Has many runs wait for a person, lists and asks them once another worker has taken over, and answers them. */
async function waiting(count: number): Promise<void> {
  script = teamScript({ answer: (request) => (hasAsked(request) ? answer('A') : ask('Which one?')) });
  const agents = [{ id: 'a', system_message: 'I am a.', backend }];
  const coordination = { broadcast: 'human', broadcast_timeout: 3000, max_orchestration_restarts: 0 };
  const args = [{ task: 'T', config: { agents, orchestrator: { coordination } } }];
  const start = (number: number): Promise<unknown> =>
    client.workflow.start('orchestration', { taskQueue: 'reprise', workflowId: `waiting-${number}`, args });
  for (let number = 0; number < count; number += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => start(number + index)));
  while ((await stage.reprise.waiting()).length < count) await pause(500);
  await stage.restart();
  let silent = 0;
  let questions: InboxQuestion[] = [];
  const looking = await secondsOf(async () => (questions = await stage.reprise.inbox(() => (silent += 1))));
  let runs: ListedRun[] = [];
  const listing = await secondsOf(async () => (runs = await stage.reprise.list({ open: true, limit: count })));
  const answering = await secondsOf(() =>
    Promise.all(
      Array.from({ length: count }, async (_, number) => {
        const handle = client.workflow.getHandle(`waiting-${number}`);
        await handle.signal('answer', { answer: 'This one.' });
        await handle.result();
      }),
    ),
  );
  console.log(
    `${count} runs that wait, behind a restart: the inbox has ${questions.length} questions after ${looking.toFixed(1)} s ` +
      `(${silent} runs were silent), list has ${runs.length} after ${listing.toFixed(1)} s, the states of ` +
      `${runs.filter(({ state }) => state !== null).length}; all ended ${answering.toFixed(1)} s after their answers`,
  );
}

/** Reads and prunes beside a run whose history has pages of more than 4 MB. */
async function beside(): Promise<void> {
  const store = openStore(stage.home, {});
  const showing = await secondsOf(() => stage.reprise.getRun('plan').show());
  const pruning = await secondsOf(() => pruneStore(store, client, { isDry: false, place: stage.home, tell() {} }));
  await store.close();
  console.log(
    `show reads that plan in ${showing.toFixed(1)} s, prune has gone through all of them in ${pruning.toFixed(1)} s`,
  );
}

if (isWanted('teams'))
  for (const agents of [10, 30, 100])
    for (const length of [390, 4000]) for (const rounds of [1, 2]) await team(agents, length, rounds);
if (isWanted('plan')) {
  await plan(200, 20_000);
  await beside();
}
if (isWanted('session')) await session(500);
if (isWanted('waiting')) await waiting(1000);
await stage.close();
process.exit(0);
