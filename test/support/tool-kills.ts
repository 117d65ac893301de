import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type OrchestrationResult } from '../../src/client.ts';
import { freePort } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { call, toolResults } from './agent-script.ts';
import { killed } from './killed.ts';
import { startModelServer, type Seen } from './model-server.ts';
import { rowsIn } from './rows.ts';
import { answer, restart, submit, teamOf, teamScript } from './team-script.ts';
import { writeFiles } from './workspace-script.ts';
import { firstWords } from './first-words.ts';

const workerMain = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

interface Course {
  /** How many runs are disturbed, each in another call of a tool as far as there are so many. */
  runs: number;
  /** Path of the Temporal CLI, and of the bundle of the workflows. */
  temporal: string;
  bundle: string;
}

interface Told {
  /** How many calls of tools were under way when workers were killed. */
  killed: number;
  /** What was different from the run that nothing has disturbed, in words. */
  differing: string[];
  /** The files of that run, by their paths. */
  files: number;
}

/** A tool that does what must not be done twice on the same files: it adds a line. It waits between two files. */
const tool = `
  const parameters = { type: 'object', properties: { run: { type: 'number' }, step: { type: 'string' } } };
  export const tools = [{
    name: 'add_line', description: 'Adds a line.', parameters, sideEffects: 'idempotent', workspace: 'writes',
    async execute({ run, step }: any, { workspace, signal }: any) {
      const before = await workspace.read('log.txt').catch(() => new Uint8Array());
      await workspace.write('log.txt', new TextDecoder().decode(before) + step + '\\n');
      await fetch(process.env.HOLD_URL + '?run=' + run + '&step=' + encodeURIComponent(step), { signal });
      await workspace.write('steps/' + step + '.txt', step);
      return 'added';
    },
  }];
`;

const agents = ['agent_1', 'agent_2'];
/** Every call of the tool in a run: two by each agent in each of two attempts, and one by the final agent. */
const steps = [
  ...[1, 2].flatMap((attempt) => agents.flatMap((agent) => [1, 2].map((time) => `${agent} ${attempt} ${time}`))),
  'final',
];
const undisturbed = 1_000_000;

const script = teamScript({
  answer: (request) => {
    const given = done(request);
    if (given === 0) return call('edit_file', { path: 'app.py', old_text: 'shop', new_text: request.agent });
    const step = `${request.agent} ${request.attempt} ${given}`;
    return given > 2 ? answer(`Done by ${request.agent}.`) : call('add_line', { run: runOf(request), step });
  },
  decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
  present: (request) =>
    done(request) > 0 ? { text: 'The answer.' } : call('add_line', { run: runOf(request), step: 'final' }),
});
const runOf = ({ prompt }: Seen): number => Number(/Survive (\d+)\./.exec(prompt)?.[1]);
const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;

const config = {
  ...teamOf(agents, { type: 'openai', cwd: 'project' }),
  orchestrator: { restart_workspace: 'winner' as const },
};
const team = { ...config, agents: config.agents.map((each) => ({ ...each, tool_packages: ['line'] })) };

/**
 * Kills a worker while runs are inside calls of tools, before what a call has changed is kept, and lets another one with an
 * empty home on the same store go on; that one is killed when the result of the same call is journalled and Temporal knows
 * nothing of it yet.
 */
export async function toolKills({ bundle, runs, temporal }: Course): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-kills-'));
  const [config, home, ...others] = ['config', 'home', 'second', 'third'].map((name) => join(folder, name)) as [
    string,
    string,
    ...string[],
  ];
  writeFiles(config, { 'line.ts': tool, 'project/app.py': 'print("shop")\n' });
  const hold = await startHold(runs);
  const model = await startModelServer(script);
  const server = await startServer({ cli: temporal, port: await freePort(), log: join(folder, 'temporal.log') });
  const env = { ...process.env, HOLD_URL: hold.url, OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai };
  const startWorker = async (at: string): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [workerMain, server.address, at, bundle, config], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await firstWords(child);
    return child;
  };
  let worker = await startWorker(home);
  const reprise = await connect({ address: server.address });
  try {
    const start = (run: number) =>
      reprise.startOrchestration({ task: `Survive ${run}.`, config: team }, { id: `run-${run}` });
    const wanted = treesOf(await (await start(undisturbed)).result());
    for (let run = 0; run < runs; run++) await start(run);
    let held = 0;
    for (const [kill, next] of others.entries()) {
      held += await hold.allHeld();
      const isFirst = kill === 0;
      if (!isFirst) {
        const journalled = rowsIn(home, 'tool_results') + runs;
        // The server is stopped, so that nothing can be acknowledged; each result is journalled all the same.
        server.process.kill('SIGSTOP');
        hold.release();
        while (rowsIn(home, 'tool_results') < journalled) await pause(20);
      }
      await killed(worker);
      if (isFirst) hold.release();
      else server.process.kill('SIGCONT');
      mkdirSync(next);
      symlinkSync(join(home, 'store.sqlite'), join(next, 'store.sqlite'));
      worker = await startWorker(next);
    }
    const differing: string[] = [];
    for (let run = 0; run < runs; run++) {
      const result = await reprise.getOrchestration(`run-${run}`).result();
      const trees = treesOf(result);
      if (trees !== wanted) differing.push(`${steps[run % steps.length]}: ${trees} and not ${wanted}`);
      if (result.outcome !== 'submitted') differing.push(`${steps[run % steps.length]}: ${result.outcome}`);
    }
    const { workspace } = await reprise.getOrchestration(`run-${undisturbed}`).result();
    return { killed: held, differing, files: workspace?.files ?? 0 };
  } finally {
    hold.release();
    await reprise.close();
    await killed(worker);
    await killed(server.process);
    await Promise.all([hold.close(), model.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ids of all trees of a run, which say all that is in them. */
const treesOf = ({ snapshots, workspace }: OrchestrationResult): string =>
  JSON.stringify([workspace?.tree, ...(snapshots ?? []).map(({ agents: trees }) => trees)]);

interface Hold {
  url: string;
  /** Resolves when every run is inside the call in which it is disturbed, with how many those are. */
  allHeld(): Promise<number>;
  /** Lets those go on that are held now. */
  release(): void;
  close(): Promise<void>;
}

/** What the tool waits for: run k waits in its step k, until all are released. */
async function startHold(runs: number): Promise<Hold> {
  let held = new Map<number, ServerResponse>();
  const moments = new EventEmitter();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://hold');
    const run = Number(searchParams.get('run'));
    if (run >= runs || searchParams.get('step') !== steps[run % steps.length]) return void response.end();
    held.set(run, response);
    moments.emit('held');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async allHeld() {
      while (held.size < runs) await once(moments, 'held');
      return held.size;
    },
    release() {
      for (const response of held.values()) response.end();
      held = new Map();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
