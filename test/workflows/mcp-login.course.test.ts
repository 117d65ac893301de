import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { TurnResult } from '../../src/protocol/session.ts';
import { login } from '../../src/tools/mcp/login.ts';
import { Logins, loginsIn } from '../../src/tools/mcp/logins.ts';
import { agentOf, call, inTurn, toolResults } from '../support/agent-script.ts';
import { historyText } from '../support/reading.ts';
import { startLoginServer, type LoginServer } from '../support/login-server.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { waysToSettle } from '../../src/cli/questions/box.ts';

let script: Script;
let run: Running;
let server: LoginServer;
beforeAll(async () => {
  run = await running((seen) => script(seen));
  server = await startLoginServer();
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await server.close();
});

const logIn = () =>
  login(server.url, {
    logins: new Logins(loginsIn(run.home)),
    signal: AbortSignal.timeout(20_000),
    show: (address) => void fetch(address),
  });

test('a login that ends in the middle of a run is waited for, and the call is made again after the next one', async () => {
  await logIn();
  const agent = agentOf('openai', { simple: {} }) as { modules: object[]; exchange: object[] };
  const servers = [{ name: 'members', url: server.url }];
  const config = {
    ...agent,
    modules: [...agent.modules, { module: 'MCPToolProvider', id: 'tools', config: { servers } }],
    exchange: [...agent.exchange, { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' }],
  };
  const session = await run.startSession({ config });
  const say = (text: string) => session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });
  script = inTurn([call('echo', { message: 'one' }), { text: 'It said one.' }]);
  expect(await say('Say one.')).toMatchObject({ answer: 'It said one.' });

  server.revoke();
  script = inTurn([call('echo', { message: 'two' }), { text: 'It said two.' }]);
  const turn = say('Say two.');
  const pending = () => session.query<PendingQuestion[]>('pendingQuestions');
  const question = `needs a login: reprise login ${server.url}`;
  const questionId = `login-${server.url.replace('http://', '')}`;
  await expect.poll(pending).toMatchObject([{ kind: 'key', from: 'agent', question, questionId }]);
  const [waiting] = await pending();
  expect(waysToSettle({ workflowId: 'w', ...waiting! }, undefined)).toEqual([
    `reprise login ${server.url} where the worker runs; the run goes on by itself`,
    `to go on without it: reprise answer w --question ${questionId} --skip`,
  ]);
  await logIn();
  expect(await turn).toMatchObject({ answer: 'It said two.' });
  expect(toolResults(run.model.requests.at(-1)!)).toEqual(['Echo: one', 'Echo: two']);
  await session.signal('close');
  await session.result();
  const { events } = await session.fetchHistory();
  const { tokens } = new Logins(join(run.home, 'logins')).read(server.url);
  const history = historyText(events ?? []);
  expect(history).toContain('Echo: two');
  expect(history).not.toContain(tokens?.access_token);
});
