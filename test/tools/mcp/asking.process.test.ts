import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/local/ports.ts';
import type { InputResponse } from '../../../src/protocol/tools/elicitation.ts';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { callerOf, endProcess, startHttpServer, stdioServer } from '../../support/mcp.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const bench = toolBench();
afterAll(() => bench.close());

const servers: Record<string, McpServer> = { stdio: stdioServer(bench.folder).server };
beforeAll(async () => {
  const port = await freePort();
  const child = await startHttpServer(port);
  servers['HTTP'] = { name: 'everything', url: `http://127.0.0.1:${port}/mcp` };
  return () => endProcess(child);
});

const tool = 'trigger-elicitation-request';
const form = { action: 'accept', content: { name: 'Ada', integer: 7 } } satisfies InputResponse;

describe.each(['stdio', 'HTTP'])('a server of the older generation that asks during a call over %s', (over) => {
  const call = (...given: Parameters<ReturnType<typeof callerOf>>) => callerOf(bench, servers[over]!)(...given);
  const reply = ({ input }: CallToolResult, response: InputResponse) => {
    const [request] = input!.requests;
    return { asks: true as const, input: { state: input!.state, responses: { [request!.key]: response } } };
  };

  test('the call ends with what it asks for, and begins anew with the answer', async () => {
    const asked = await call(tool, {}, { asks: true }).result;
    expect(asked).toMatchObject({
      status: 'input_required',
      text: 'Please provide inputs for the following fields:',
      input: {
        beginsAnew: true,
        requests: [{ form: { required: ['name'], properties: { name: { type: 'string' } } } }],
      },
    });
    const { status, text } = await call(tool, {}, reply(asked, form)).result;
    expect(status).toBe('ok');
    expect(text).toMatch(/User provided the requested information!\nUser inputs:\n- Name: Ada\n- Favorite Integer: 7/);
    expect((await call(tool, {}, reply(asked, { action: 'decline' })).result).text).toMatch(/User declined/);
    expect((await call(tool, {}, reply(asked, { action: 'cancel' })).result).text).toMatch(/User cancelled/);
  });

  test('where nobody is there it is declined within the call, and the agent is told', async () => {
    const { status, text } = await call(tool).result;
    expect(status).toBe('ok');
    expect(text).toMatch(/User declined/);
    expect(text).toMatch(/\[The server asked: "Please provide .*"\. Nobody is here to answer, so it was declined\.\]$/);
  });

  test('a question is that of the call which asks, however many others run', async () => {
    const slow = call('trigger-long-running-operation', { duration: 2, steps: 2 });
    await once(slow.environment, 'heartbeat');
    const both = await Promise.all([call(tool, {}, { asks: true }).result, call(tool, {}, { asks: true }).result]);
    expect(both.map(({ status }) => status)).toEqual(['input_required', 'input_required']);
    expect(await slow.result).toMatchObject({
      status: 'ok',
      text: 'Long running operation completed. Duration: 2 seconds, Steps: 2.',
    });
    const answered = both.map((asked) => call(tool, {}, reply(asked, form)).result);
    for (const { text } of await Promise.all(answered)) expect(text).toMatch(/Name: Ada/);
  });

  test('an address to go to is a request too', async () => {
    const args = { url: 'https://example.com/verify' };
    const asked = await call('trigger-url-elicitation', args, { asks: true }).result;
    expect(asked).toMatchObject({ status: 'input_required', input: { requests: [{ url: args.url }] } });
    expect(await call('trigger-url-elicitation', args, reply(asked, { action: 'accept' })).result).toMatchObject({
      status: 'ok',
    });
  });
});
