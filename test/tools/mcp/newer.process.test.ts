import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/local/ports.ts';
import type { InputResponse } from '../../../src/protocol/tools/elicitation.ts';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { callerOf, endProcess, newerServer, startNewerServer } from '../../support/mcp.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const bench = toolBench();
afterAll(() => bench.close());

const servers: Record<string, McpServer> = { stdio: newerServer(join(bench.folder, 'effects')) };
beforeAll(async () => {
  const port = await freePort();
  const child = await startNewerServer(port);
  servers['HTTP'] = { name: 'newer', url: `http://127.0.0.1:${port}/mcp` };
  return () => endProcess(child);
});

describe.each(['stdio', 'HTTP'])('a server of the newer generation over %s', (over) => {
  const call = (...given: Parameters<ReturnType<typeof callerOf>>) => callerOf(bench, servers[over]!)(...given).result;
  const names = async () => (await bench.list({ mcpServers: [servers[over]!] })).tools.map(({ name }) => name);

  test('runs its tools; all that a result may hold is text', async () => {
    expect(await call('echo', { message: 'hello' })).toEqual({ status: 'ok', text: 'Echo: hello' });
    expect(await call('fail')).toEqual({ status: 'error', text: 'It failed.' });
    expect(await call('put-off')).toEqual({ status: 'ok', text: 'Done now.' });
    expect((await call('show')).text.split('\n')).toEqual([
      'All of it:',
      '[image 1: image/png, 85 bytes]',
      '[audio: audio/wav, 3 bytes]',
      '[resource: note://one]',
      'The first note.',
      '[resource: note://dot] [image 2: image/png, 85 bytes]',
      '[resource: two, note://two (The second note)]',
    ]);
  });

  test('what it asks for is the result of the call, and goes with the next one, until there is a result', async () => {
    const order = (more: object): Promise<CallToolResult> => call('order', { what: 'hat' }, { asks: true, ...more });
    const reply = ({ input }: CallToolResult, content: Record<string, number | boolean>) => {
      const response: InputResponse = { action: 'accept', content };
      return order({ input: { state: input!.state, responses: { [input!.requests[0]!.key]: response } } });
    };
    const size = await order({});
    expect(size).toMatchObject({
      status: 'input_required',
      input: { requests: [{ message: 'Which size?', form: { required: ['size'] } }] },
    });
    const sure = await reply(size, { size: 4 });
    expect(sure).toMatchObject({ status: 'input_required', input: { requests: [{ message: 'Order hat in 4?' }] } });
    expect(await reply(sure, { sure: true })).toEqual({ status: 'ok', text: 'Ordered hat in 4.' });
    expect(await reply(sure, { sure: false })).toEqual({ status: 'ok', text: 'Not ordered.' });
    if (over === 'stdio') expect(readFileSync(join(bench.folder, 'effects'), 'utf8')).toBe('hat 4\n');
  });

  test('what it asks for is declined where nobody is there, and the agent is told', async () => {
    expect(await call('order', { what: 'hat' })).toEqual({
      status: 'ok',
      text: 'No size, no order.\n[The server asked: "Which size?". Nobody is here to answer, so it was declined.]',
    });
  });

  test('that something is to be done at an address is a request too', async () => {
    const { input } = await call('sign', {}, { asks: true });
    expect(input?.requests).toEqual([{ key: 'sign', message: 'Sign the contract', url: 'https://sign.example.com/1' }]);
    const responses = { sign: { action: 'accept' as const } };
    expect(await call('sign', {}, { asks: true, input: { state: input!.state, responses } })).toMatchObject({
      text: 'Signed: accept.',
    });
  });

  test('changes of its tools are followed; a call of one that is gone says what there is', async () => {
    expect(await names()).not.toContain('late');
    await call('grow');
    await expect.poll(names).toContain('late');
    expect(await call('late')).toEqual({ status: 'ok', text: 'Better than never.' });
    await call('shrink');
    await expect.poll(names).not.toContain('late');
    expect(await call('late')).toMatchObject({
      status: 'exception',
      text: expect.stringMatching(/^the tool late is no longer where it came from; there are now: echo, order/),
    });
  });

  test('its resources are listed and read by tools that carry its name', async () => {
    expect(await names()).toEqual(expect.arrayContaining(['newer_list_resources', 'newer_read_resource']));
    expect(await call('newer_list_resources')).toEqual({
      status: 'ok',
      text: 'note://one - one; The first note; text/plain',
    });
    expect(await call('newer_read_resource', { uri: 'note://one' })).toEqual({ status: 'ok', text: 'The first note.' });
    expect(await call('newer_read_resource', { uri: 'note://none' })).toMatchObject({
      status: 'error',
      text: expect.stringContaining('note://none'),
    });
  });
});

test('a server over HTTP that is killed during a call ends the call, and is used again when it is back', async ({
  onTestFinished,
}) => {
  const port = await freePort();
  let child = await startNewerServer(port);
  onTestFinished(() => endProcess(child));
  const call = callerOf(bench, { name: 'remote', url: `http://127.0.0.1:${port}/mcp` });
  expect((await call('echo', { message: 'one' }).result).text).toBe('Echo: one');
  const { environment, result } = call('wait');
  await once(environment, 'heartbeat');
  await endProcess(child);
  expect(await result).toMatchObject({ status: 'exception' });
  child = await startNewerServer(port);
  await expect.poll(async () => (await call('echo', { message: 'two' }).result).text).toBe('Echo: two');
});
