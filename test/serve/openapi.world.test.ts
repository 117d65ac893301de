import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../src/util/folders.ts';
import { sharedRunning } from '../support/running.ts';
import { ownerToken, serving } from '../support/serving.ts';
import { teamScript } from '../support/team-script.ts';

const run = promisify(execFile);
const running = sharedRunning();

/** What makes a client out of a description. The generator needs an older compiler than the project has. */
const packages = ['openapi-typescript@7.10.1', 'openapi-fetch@0.15.0', 'typescript@5.9.3'];

/** The folder with the generator, which is fetched once for this user; undefined where the registry is not reached. */
async function generator(): Promise<string | undefined> {
  const folder = join(cacheFolder(), `openapi-client-${packages.map((each) => each.split('@')[1]).join('-')}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const scratch = mkdtempSync(join(cacheFolder(), 'fetching-'));
  try {
    await run('npm', ['install', '--prefix', scratch, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
    // Of two that fetch it at the same time the first one is kept.
    if (!existsSync(folder)) renameSync(scratch, folder);
    return folder;
  } catch (error) {
    if (!/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ECONNRESET/.test(String(error))) throw error;
    return undefined;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } });
const begun = await client.POST('/runs', { body: { type: 'orchestration', input: { task: 'Build a site' } } });
const { id = '' } = begun.data ?? {};
const { data } = await client.GET('/runs/{id}/result', { params: { path: { id }, query: { wait: 60 } } });
if (data === undefined || !('workflow' in data) || data.workflow !== 'orchestration') throw new Error('no result');
const voters: string[] = data.votes.map(({ voter }) => voter);
// @ts-expect-error it is none of a team's outcomes
if (data.outcome === 'viable') throw new Error('of research');
// Temporal's list knows of an end a moment later than whoever waits for it. Other tests may have begun many runs since.
let isListed: boolean | undefined = false;
while (!isListed) {
  const listed = await client.GET('/runs', { params: { query: { limit: 1000 } } });
  isListed = listed.data?.some((run) => run.id === id && run.status === 'completed');
  if (!isListed) await new Promise((resolve) => setTimeout(resolve, 100));
}
// @ts-expect-error a task is a text
void (() => client.POST('/runs', { body: { type: 'orchestration', input: { task: 1 } } }));
const wrong = await client.POST('/runs/{id}/decide', { params: { path: { id } }, body: { action: 'stop' } });
console.log(JSON.stringify([begun.response.status, data.outcome, voters.length > 0, isListed, wrong.error?.status]));
`;

test('a client that is generated from the OpenAPI document starts a run, and has its types, and those of what comes of it', async () => {
  const tools = await generator();
  if (tools === undefined) {
    console.warn('SKIPPED: npm is not reached, and the generator of clients was not fetched before');
    return;
  }
  const server = await serving(running(teamScript()));
  const folder = mkdtempSync(join(tools, 'client-'));
  try {
    const document = await (await server.fetch('/api/v1/openapi.json')).text();
    writeFileSync(join(folder, 'openapi.json'), document);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'main.ts'), program);
    const tool = (path: string, ...words: string[]) =>
      run(process.execPath, [join(tools, 'node_modules', path), ...words], { cwd: folder });
    await tool('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api.d.ts');
    const flags = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--noEmit', '--skipLibCheck'];
    const types = ['--allowImportingTsExtensions', '--lib', 'es2023,dom', 'main.ts'];
    writeFileSync(join(folder, 'node.d.ts'), 'declare const process: { argv: string[] };');
    await tool('typescript/bin/tsc', ...flags, ...types, 'node.d.ts');
    const { stdout } = await run(process.execPath, ['main.ts', `${server.url}/api/v1`, ownerToken], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([201, 'submitted', true, true, 409]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server[Symbol.asyncDispose]();
  }
});
