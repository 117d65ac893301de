import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/local/ports.ts';
import type { CallToolInput, CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { endProcess, isRunning, startHttpServer, stdioServer } from '../../support/mcp.ts';
import { running } from '../../support/running.ts';
import { toolBench } from '../../support/tool-bench.ts';
import { testCaller } from '../../support/activity-bench.ts';
import { firstWords } from '../../support/first-words.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const bench = toolBench();
afterAll(() => bench.close());
const toolHost = fileURLToPath(new URL('../../support/tool-host.ts', import.meta.url));

const caller =
  (mcp: McpServer) =>
  (name: string, args: object = {}) =>
    bench.call({ name, source: { mcp } }, args);

/** Longer than any test lasts. */
const long = { duration: 100, steps: 1 };

describe('a server over stdio', () => {
  const { server, pids } = stdioServer(bench.folder);
  const call = caller(server);

  test('offers its tools, with what running them twice would do as its hints say', async () => {
    const { tools, set } = await bench.list({ mcpServers: [server] });
    const source = { mcp: server };
    expect(tools).toContainEqual({ name: 'echo', source, sideEffects: 'undeclared', timeout: 60, readsOn: true });
    expect(tools).toContainEqual({
      name: 'toggle-simulated-logging',
      source,
      sideEffects: 'once',
      timeout: 60,
      readsOn: true,
    });
    expect(tools.at(-1)).toMatchObject({ name: 'read_result', source: { package: 'builtin.results' } });
    expect(JSON.parse(await bench.store.blob(set))).toContainEqual({
      name: 'echo',
      description: 'Echoes back the input string',
      parameters: expect.objectContaining({ type: 'object', required: ['message'] }),
    });
  });

  test('runs them: texts are joined, other content is named, its errors are reports', async () => {
    expect(await call('get-sum', { a: 2, b: 3 }).result).toEqual({
      status: 'ok',
      text: 'The sum of 2 and 3 is 5.',
    });
    const image = await call('get-tiny-image').result;
    expect(image.text).toMatch(/^Here's the image.*\n\[image 1: image\/png, 4\.0 KB\]\n/);
    expect(image.images).toEqual([{ blob: expect.any(String), mediaType: 'image/png' }]);
    expect(await call('echo').result).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/message/),
    });
  });

  test('is started once, and logs what it prints to stderr', async () => {
    expect(pids()).toHaveLength(1);
    const log = readFileSync(join(bench.logs, 'mcp-everything.log'), 'utf8');
    expect(log).toMatch(/Starting default \(STDIO\) server/);
  });

  test('killed during a call: that is an exception, and the next call starts it again', async () => {
    const { environment, result } = call('trigger-long-running-operation', long);
    await once(environment, 'heartbeat');
    process.kill(pids().at(-1) ?? 0, 'SIGKILL');
    expect(await result).toEqual({
      status: 'exception',
      text:
        'the MCP server everything ended during the call, which may or may not have taken effect; ' +
        'the next call starts it again',
    });
    expect(await call('echo', { message: 'back' }).result).toEqual({ status: 'ok', text: 'Echo: back' });
    expect(pids()).toHaveLength(2);
  });

  test('killed between two calls: the next one starts it again', async () => {
    const pid = pids().at(-1) ?? 0;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(async () => (await call('echo', { message: 'back' }).result).text).toBe('Echo: back');
  });

  test('a cancelled call ends at once, and the server stays', async () => {
    const { environment, result } = call('trigger-long-running-operation', long);
    await once(environment, 'heartbeat');
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    const started = pids().length;
    expect(await call('echo', { message: 'here' }).result).toEqual({ status: 'ok', text: 'Echo: here' });
    expect(pids()).toHaveLength(started);
  });
});

test('a server is told the version of this package', async () => {
  const file = join(bench.folder, 'first-request');
  const deaf = { name: 'deaf', command: 'sh', args: ['-c', 'head -n 1 > "$0"', file] };
  await expect(bench.list({ mcpServers: [deaf] })).rejects.toThrow('the MCP server deaf');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    params: { clientInfo: { name: 'reprise', version } },
  });
});

test('what a server prints steers no terminal in which its log is read', async () => {
  const loud = { name: 'loud', command: 'sh', args: ['-c', String.raw`printf '\033]52;c;cm0=\007said\n' >&2`] };
  await expect(bench.list({ mcpServers: [loud] })).rejects.toThrow('the MCP server loud');
  await expect.poll(() => readFileSync(join(bench.logs, 'mcp-loud.log'), 'utf8')).toMatch(/^(?:said\n)+$/);
});

/** A server of another maker, which answers with what it is told to. @param answers results by method, as a program writes them */
const answering = (answers: string): string[] => [
  '-e',
  `const { createInterface } = require('node:readline');
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const { protocolVersion } = params ?? {};
      const begun = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
      const result = { initialize: begun, ...(${answers}) }[method];
      const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`,
];

test('what a server says of its tools holds no secret that it was given', async () => {
  const args = answering(`{
    'tools/list': { tools: [{ name: 'a', description: 'Its key is ' + process.env.THE_TOKEN, inputSchema: { type: 'object' } }] },
  }`);
  const env = { THE_TOKEN: '${THE_TOKEN}' };
  const given = toolBench({}, { THE_TOKEN: 'only-for-the-server' });
  const server = { name: 'echoing', command: process.execPath, args, env };
  const { set } = await given.list({ mcpServers: [server] });
  expect(JSON.parse(await given.store.blob(set))).toContainEqual(
    expect.objectContaining({ description: 'Its key is [redacted]' }),
  );
  await given.close();
});

test('a tool without a type costs no other one, its arguments have their own names, and a null costs no result', async () => {
  const args = answering(`{
    'tools/list': { tools: [{ name: 'odd' }, { name: 'find', inputSchema: { type: 'object', properties: { $top: {} } } }] },
    'tools/call': { content: [{ type: 'text', text: JSON.stringify(params), annotations: null }], isError: null },
  }`);
  const server = { name: 'foreign', command: process.execPath, args };
  const { tools } = await bench.list({ mcpServers: [server] });
  expect(tools.map(({ name }) => name)).toEqual(['odd', 'find', 'read_result']);
  expect((await caller(server)('find', { _top: 3 }).result).text).toBe('{"name":"find","arguments":{"$top":3}}');
});

describe('a server that a worker has started', () => {
  test('ends with the worker', async () => {
    const { server, pids } = stdioServer(bench.folder);
    {
      await using worker = await running(() => ({ text: '' }), { REPRISE_ALLOW: 'commands' });
      const input: CallToolInput = {
        tool: { name: 'echo', source: { mcp: server }, sideEffects: 'undeclared', timeout: 60 },
        arguments: { message: 'hello' },
        agent: 'agent_a',
        caller: testCaller,
      };
      const { client, taskQueue } = worker;
      const run = { taskQueue, workflowId: taskQueue, args: [[input]] };
      const results = (await client.workflow.execute('toolCalls', run)) as CallToolResult[];
      expect(results).toEqual([{ status: 'ok', text: 'Echo: hello' }]);
      expect(pids().map(isRunning)).toEqual([true]);
    }
    expect(pids().map(isRunning)).toEqual([false]);
  });

  test('ends also where the worker is killed', async () => {
    const { server, pids } = stdioServer(bench.folder);
    const host = spawn(process.execPath, [toolHost, bench.folder, JSON.stringify(server)]);
    await firstWords(host);
    expect(pids().map(isRunning)).toEqual([true]);
    await endProcess(host);
    await expect.poll(() => pids().map(isRunning)).toEqual([false]);
  });
});

describe('a server over HTTP', () => {
  test('runs tools, outlives being killed between calls and during one', async ({ onTestFinished }) => {
    const port = await freePort();
    let child = await startHttpServer(port);
    onTestFinished(() => endProcess(child));
    const call = caller({ name: 'remote', url: `http://127.0.0.1:${port}/mcp` });
    const echo = async (message: string): Promise<CallToolResult> => call('echo', { message }).result;
    expect(await echo('one')).toEqual({ status: 'ok', text: 'Echo: one' });

    await endProcess(child);
    child = await startHttpServer(port);
    expect(await echo('two')).toEqual({ status: 'ok', text: 'Echo: two' });

    const { environment, result } = call('trigger-long-running-operation', long);
    await once(environment, 'heartbeat');
    await endProcess(child);
    expect(await result).toMatchObject({
      status: 'exception',
      text: expect.stringMatching(/^the MCP server remote ended during the call/),
    });
    expect(await echo('three')).toMatchObject({
      status: 'exception',
      text: expect.stringMatching(/ECONNREFUSED/),
    });

    child = await startHttpServer(port);
    expect(await echo('four')).toEqual({ status: 'ok', text: 'Echo: four' });
  });
});

test('a server of the time before Streamable HTTP runs tools, and outlives being killed', async ({
  onTestFinished,
}) => {
  const port = await freePort();
  let child = await startHttpServer(port, 'sse');
  onTestFinished(() => endProcess(child));
  const call = caller({ name: 'older', url: `http://127.0.0.1:${port}/sse` });
  expect(await call('echo', { message: 'one' }).result).toEqual({ status: 'ok', text: 'Echo: one' });
  const { environment, result } = call('trigger-long-running-operation', long);
  await once(environment, 'heartbeat');
  await endProcess(child);
  expect(await result).toMatchObject({ status: 'exception', text: expect.stringMatching(/ended during the call/) });
  child = await startHttpServer(port, 'sse');
  expect(await call('echo', { message: 'two' }).result).toEqual({ status: 'ok', text: 'Echo: two' });
});

test('a call that is refused, since the server does not know its session, ends none of those under way', async ({
  onTestFinished,
}) => {
  const port = await freePort();
  const child = await startHttpServer(port);
  onTestFinished(() => endProcess(child));
  // Refuses one call of echo, as a server that has forgotten the session, and passes on everything else.
  let isRefusing = true;
  const proxy = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      if (isRefusing && body.includes('"echo"')) {
        isRefusing = false;
        response.writeHead(404).end('no such session');
        return;
      }
      const { headers, method, url } = request;
      const passed = requestOf({ port, path: url, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      passed.end(body);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const call = caller({ name: 'forgetful', url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp` });

  const { environment, result } = call('trigger-long-running-operation', { duration: 3, steps: 1 });
  await once(environment, 'heartbeat');
  expect(await call('echo', { message: 'one' }).result).toEqual({ status: 'ok', text: 'Echo: one' });
  expect(isRefusing).toBe(false);
  expect(await result).toMatchObject({ status: 'ok' });
});

describe('a server that cannot be used is refused, with its name and what is wrong', () => {
  test('all of them at once', async () => {
    const port = await freePort();
    const mcpServers: McpServer[] = [
      { name: 'absent', command: 'no-such-command', args: [] },
      { name: 'brief', command: process.execPath, args: ['-e', ''] },
      { name: 'silent', command: process.execPath, args: ['-e', 'process.stdin.resume()'] },
      { name: 'nowhere', url: `http://127.0.0.1:${port}/mcp` },
    ];
    const error = await bench.list({ mcpServers }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect((error as ApplicationFailure).message.split('\n')).toEqual([
      expect.stringMatching(/^the MCP server absent: there is no command "no-such-command"; name a program/),
      expect.stringMatching(/^the MCP server brief: .* ended before it named its tools; .*mcp-brief\.log$/),
      expect.stringMatching(/^the MCP server silent: .* does not answer within 20 seconds; .*mcp-silent\.log$/),
      expect.stringMatching(/^the MCP server nowhere: .* cannot be used: fetch failed \(.*ECONNREFUSED/),
    ]);
  });
});
