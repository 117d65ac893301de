import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { TurnResult } from '../../src/protocol/session.ts';
import { call, inTurn, toolResults } from '../support/agent-script.ts';
import { endProcess, startHttpServer, stdioServer } from '../support/mcp.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import type { McpServer } from '../../src/protocol/settings.ts';
import { ownPort } from '../support/own-port.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());

const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
  session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });

/** One agent that has the tools of a server. */
const agentWith = (...servers: McpServer[]): object => ({
  modules: [
    { module: 'OpenAIProvider', id: 'llm', config: { model: 'scripted-1' } },
    { module: 'MCPToolProvider', id: 'tools', config: { servers } },
    { module: 'SimpleToolOrchestrator', id: 'agent' },
  ],
  exchange: [
    { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
    { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' },
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
  ],
});

/** A turn in which the server echoes, one in which it dies under a call, and one in which it is back. */
async function converse(
  server: McpServer,
  crash: () => void | Promise<void>,
  mend: () => Promise<void>,
): Promise<string[]> {
  run.model.requests.length = 0;
  const session = await run.startSession({ config: agentWith(server) });
  script = inTurn([call('echo', { message: 'hello' }), { text: 'It said hello.' }]);
  expect(await say(session, 'Say hello.')).toMatchObject({ answer: 'It said hello.' });

  const slow = 'trigger-long-running-operation';
  script = inTurn([call(slow, { duration: 20, steps: 4 }), { text: 'It died.' }]);
  const turn = say(session, 'Take long.');
  await expect
    .poll(async () => {
      const { pendingActivities } = (await session.describe()).raw;
      return pendingActivities?.some(
        ({ activityType, lastHeartbeatTime }) => activityType?.name === 'callTool' && lastHeartbeatTime,
      );
    })
    .toBeTruthy();
  await crash();
  expect(await turn).toMatchObject({ answer: 'It died.' });
  await mend();

  script = inTurn([call('echo', { message: 'again' }), { text: 'It is back.' }]);
  expect(await say(session, 'Once more.')).toMatchObject({ answer: 'It is back.' });
  await session.signal('close');
  await session.result();
  return toolResults(run.model.requests.at(-1)!);
}

test('an agent uses an MCP server over stdio; its crash is an observation, and the next call starts it again', async () => {
  const { server, pids } = stdioServer(run.home);
  const results = await converse(
    server,
    () => {
      process.kill(pids().at(-1) ?? 0, 'SIGKILL');
    },
    async () => {},
  );
  expect(results).toEqual(['Echo: hello', expect.stringMatching(/^Exception: /), 'Echo: again']);
});

test('an agent uses an MCP server over HTTP; its crash is an observation, and it is used again when it is back', async () => {
  const port = await ownPort();
  let child = await startHttpServer(port);
  const results = await converse(
    { name: 'everything', url: `http://127.0.0.1:${port}/mcp` },
    () => endProcess(child),
    async () => {
      child = await startHttpServer(port);
    },
  );
  await endProcess(child);
  expect(results).toEqual(['Echo: hello', expect.stringMatching(/^Exception: /), 'Echo: again']);
});

test('a variable that a server needs, and that the next worker lacks, is waited for', async () => {
  const server = { ...stdioServer(run.home).server, env: { TOKEN: '${MCP_TOKEN}' } };
  await run.replaceWorker({ MCP_TOKEN: 'secret' });
  const session = await run.startSession({ config: agentWith(server) });
  script = inTurn([{ text: 'Ready.' }]);
  await say(session, 'Are you ready?');
  await run.replaceWorker({});

  script = inTurn([call('echo', { message: 'hello' }), { text: 'It said hello.' }]);
  const turn = say(session, 'Say hello.');
  const pending = () => session.query<PendingQuestion[]>('pendingQuestions');
  await expect.poll(pending).toMatchObject([{ kind: 'key', from: 'agent', question: 'needs MCP_TOKEN on a worker' }]);
  await run.replaceWorker({ MCP_TOKEN: 'secret' });
  expect(await turn).toMatchObject({ answer: 'It said hello.' });
  expect(toolResults(run.model.requests.at(-1)!)).toEqual(['Echo: hello']);
  await session.signal('close');
  await session.result();
});

test('many tools of servers are looked for instead of offered, and those of one name have their server before it', async () => {
  const program = fileURLToPath(new URL('../support/many-server.ts', import.meta.url));
  const server = (name: string): McpServer => ({ name, command: process.execPath, args: [program, name] });
  run.model.requests.length = 0;
  const config = {
    ...agentWith(server('north'), server('south')),
    permissions: [
      { tool: 'delete_*', action: 'deny' },
      { tool: '*', action: 'allow' },
    ],
  };
  const session = await run.startSession({ config });
  script = inTurn([
    call('find_tools', { query: 'comments: get, delete' }),
    call('call_tool', { name: 'south_get_comment', arguments: { id: '7' } }),
    call('north_get_comment', { id: '8' }),
    call('call_tool', { name: 'south_delete_comment', arguments: { id: '9' } }),
    call('call_tool', { name: 'south_get_comment', arguments: { number: 7 } }),
    { text: 'Done.' },
  ]);
  expect(await say(session, 'Get the comments.')).toMatchObject({ answer: 'Done.' });
  const { requests } = run.model;
  expect(requests.map(({ tools }) => tools)).toEqual(requests.map(() => ['read_result', 'find_tools', 'call_tool']));
  expect(JSON.stringify(requests[0]?.body).length).toBeLessThan(6000);
  const [found, ...results] = toolResults(requests.at(-1)!);
  expect(found).toContain('south_get_comment: get one comment');
  expect(found).toContain('"required":["id"]');
  expect(results).toEqual([
    'south: get comment 7',
    'north: get comment 8',
    expect.stringContaining('not run'),
    expect.stringContaining('id: it is missing'),
  ]);
  await session.signal('close');
  await session.result();
});
