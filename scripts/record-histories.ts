/**
 * Records the histories that `npm test` replays, one for each course that workflow code can take. Run it when new
 * behaviour is added, and commit only the new file: the old ones prove that open runs survive the change.
 *
 *   node scripts/record-histories.ts [NAME …]
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection } from '@temporalio/worker';
import { connect, taskQueue } from '../src/client.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startServer } from '../src/embedded/server.ts';
import { findTemporalCli } from '../src/embedded/temporal-cli.ts';
import { createWorker } from '../src/worker.ts';
import { everything } from '../test/support/guard.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';
import { courses } from '../test/histories/courses.ts';
import { fileCourses } from '../test/histories/file-courses.ts';
import { writeKit } from '../test/support/agent-script.ts';
import { claudeCodeModules, installIn } from '../test/support/claude-code.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { startSearchServer } from '../test/support/search-server.ts';

/** Removes from a history what describes the machine; replaying needs neither stack traces nor identities. */
function anonymous(history: string): string {
  return history
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""')
    .replace(/"identity": "[^"]*"/g, '"identity": "recorded"')
    .replace(/"name": "\d+@[^"]*"/g, '"name": "recorded"');
}

quietRuntime();
const home = mkdtempSync(join(tmpdir(), 'reprise-record-'));
const cli = await findTemporalCli(console.error);
const server = await startServer({ cli, port: await freePort(), log: join(home, 'temporal.log') });
writeKit(home);
const names = process.argv.slice(2);
const chosen = [...courses, ...fileCourses].filter(({ name }) => names.length === 0 || names.includes(name));
if (chosen.some(({ needsClaudeCode }) => needsClaudeCode)) installIn(home, await claudeCodeModules());
for (const course of chosen) {
  const { name, type = 'orchestration', script, input, extensions, found, lacksKey, noWorker, prepare, steer } = course;
  prepare?.(home);
  const model = await startModelServer(script);
  const search = found && (await startSearchServer(() => found));
  const connection = await NativeConnection.connect({ address: server.address });
  const variables = {
    OPENAI_API_KEY: 'recorded',
    OPENAI_BASE_URL: model.openai,
    ANTHROPIC_API_KEY: 'recorded',
    ANTHROPIC_BASE_URL: model.anthropic,
    ...(search && { SEARXNG_URL: search.url }),
  };
  const workerWith = (others: NodeJS.ProcessEnv = {}) =>
    createWorker({
      connection,
      namespace: 'default',
      home,
      configFolder: extensions ?? home,
      allow: everything,
      variables: { ...variables, ...others },
    });
  const reprise = await connect({ address: server.address });
  const run = await reprise.client.workflow.start(type, { taskQueue, workflowId: name, args: [input] });
  if (lacksKey !== undefined) {
    await (await workerWith()).runUntil(() => lacksKey.from(run));
    await (await workerWith({ OPENAI_API_KEY: undefined })).runUntil(() => lacksKey.to(run));
  }
  if (noWorker !== undefined) {
    await (await workerWith()).runUntil(() => noWorker.from(run));
    await noWorker.meanwhile(run);
  }
  await (
    await workerWith()
  ).runUntil(async () => {
    await steer?.(run);
    await run.result().catch(() => {});
  });
  const history = await reprise.client.workflow.getHandle(name).fetchHistory();
  writeFileSync(join('test', 'histories', `${name}.json`), `${anonymous(historyToJSON(history))}\n`);
  console.log(name);
  await Promise.all([reprise.close(), connection.close(), model.close(), search?.close()]);
}
server.process.kill();
await once(server.process, 'exit');
rmSync(home, { recursive: true, force: true });
