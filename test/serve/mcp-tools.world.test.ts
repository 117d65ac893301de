import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { beforeAll, expect, test } from 'vitest';
import { cacheFolder } from '../../src/util/folders.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { sharedRunning } from '../support/running.ts';
import { ownerToken, serving } from '../support/serving.ts';

const run = promisify(execFile);
const running = sharedRunning();

const packages = ['@modelcontextprotocol/inspector@2.12.0', '@modelcontextprotocol/conformance@0.1.16'];
const folder = join(cacheFolder(), 'mcp-inspector-2.12.0-conformance-0.1.16');
const module = (path: string): string => join(folder, 'node_modules/@modelcontextprotocol', path);

// The command line of the inspector and the conformance tests are fetched once for this user, 140 MB.
beforeAll(async () => {
  if (existsSync(folder)) return;
  mkdirSync(cacheFolder(), { recursive: true });
  const scratch = mkdtempSync(join(cacheFolder(), 'fetching-'));
  try {
    const words = ['install', '--prefix', scratch, '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', [...words, ...packages], { shell: process.platform === 'win32' });
    if (!existsSync(folder)) renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}, 300_000);

/** A server behind one that adds the token, which the conformance tests cannot send. */
async function served() {
  const home = running(asks('Which colour?'));
  writeFileSync(join(home.home, 'asking.yaml'), stringify(askingTeam(600)));
  let to = '';
  const front = createServer((asked, reply) => {
    const headers = { ...asked.headers, authorization: `Bearer ${ownerToken}` };
    const passed = request(`${to}${asked.url}`, { method: asked.method ?? 'GET', headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    asked.pipe(passed);
    passed.on('error', () => reply.destroy());
    reply.on('close', () => passed.destroy());
  });
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const server = await serving(home, { url });
  to = server.url;
  return {
    url: `${url}/mcp`,
    async [Symbol.asyncDispose]() {
      front.close();
      front.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("the inspector's command line lists the tools with portable schemas, asks a team, answers it, and reads the answer", async () => {
  await using server = await served();
  const inspect = async (...words: string[]): Promise<string> => {
    const line = [
      module('inspector/clients/launcher/build/index.js'),
      '--cli',
      server.url,
      '--transport',
      'http',
      ...words,
    ];
    return (await run(process.execPath, line)).stdout;
  };
  const call = (tool: string, ...args: string[]): Promise<string> =>
    inspect('--method', 'tools/call', '--tool-name', tool, ...args.flatMap((each) => ['--tool-arg', each]));
  expect(await inspect('--strict', '--method', 'tools/list')).toContain('"ask_team"');
  expect(await call('ask_team', 'task=Paint.', 'configuration=asking', 'id=inspected')).toContain('Which colour?');
  expect(await call('answer', 'run=inspected', 'text=red')).toContain('Told: red.');
  expect(await call('status', 'run=inspected')).toContain('"state": "completed"');
});

/** Of 30 scenarios; the others call tools, resources and prompts that the reference server has for them. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

test.each(scenarios)('the conformance scenario %s passes', async (scenario) => {
  await using server = await served();
  const line = [module('conformance/dist/index.js'), 'server', '--url', server.url, '--scenario', scenario];
  expect((await run(process.execPath, line)).stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
