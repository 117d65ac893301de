import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HumanReply, PendingQuestion } from '../../src/protocol/questions.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import { agentOf, call, inTurn, toolResults } from '../support/agent-script.ts';
import { newerServer, stdioServer } from '../support/mcp.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import type { McpServer } from '../../src/protocol/settings.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());

/** A turn in which an agent calls a tool of a server once. */
async function turnWith(mcp: McpServer, tool: string, args: object, coordination: object): Promise<WorkflowHandle> {
  run.model.requests.length = 0;
  script = inTurn([call(tool, args), { text: 'Done.' }]);
  const agent = agentOf('openai', { simple: {} }) as { modules: object[]; exchange: object[] };
  const config = {
    ...agent,
    modules: [...agent.modules, { module: 'MCPToolProvider', id: 'tools', config: { servers: [mcp] } }],
    // What the tools ask for is tried here, and not whether they may be called.
    permissions: [{ tool: '*', action: 'allow' }],
    exchange: [...agent.exchange, { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' }],
    coordination,
  };
  return run.startSession({ config, text: 'Do it.' });
}

/** What the tool returned, as the model was shown it. */
async function resultOf(session: WorkflowHandle): Promise<string> {
  expect(((await session.result()) as SessionResult).answer).toBe('Done.');
  return toolResults(run.model.requests.at(-1)!).at(-1)!;
}

async function questionOf(session: WorkflowHandle, after?: PendingQuestion): Promise<PendingQuestion> {
  const waiting = async (): Promise<PendingQuestion | undefined> => {
    const [next] = await session.query<PendingQuestion[]>('pendingQuestions');
    return next?.questionId === after?.questionId ? undefined : next;
  };
  let found: PendingQuestion | undefined;
  await expect.poll(async () => (found = await waiting())).toBeDefined();
  return found!;
}

const answer = (session: WorkflowHandle, reply: HumanReply) => session.signal('answer', reply);

const human = { broadcast: 'human', broadcast_timeout: 60 };
const form = 'trigger-elicitation-request';

test('a tool of an older server asks: a question in the inbox, answered by a signal, with another worker in between', async () => {
  const session = await turnWith(stdioServer(run.home).server, form, {}, human);
  const first = await questionOf(session);
  expect(first).toMatchObject({ kind: 'question', from: 'agent' });
  expect(first.question).toMatch(/^The MCP server everything asks, for its tool trigger-elicitation-request: Please/);
  expect(first.question).toContain('- integer (a whole number from 1 to 100, 42 if left out): Integer: Your favorite');
  expect(first.question).toContain('what it did before it asked happens twice');
  await run.replaceWorker({});
  await answer(session, { questionId: first.questionId, answer: 'name: Ada\ninteger: many' });
  const second = await questionOf(session, first);
  expect(second.question).toContain('could not be used: integer must be a whole number from 1 to 100.');
  await answer(session, { answer: 'name: Ada\ninteger: 7' });
  expect(await resultOf(session)).toMatch(/User inputs:\n- Name: Ada\n- Favorite Integer: 7/);
});

test('a tool that declares that each call takes effect is not called again when the person skips', async () => {
  const session = await turnWith(stdioServer(run.home).server, form, {}, human);
  await questionOf(session);
  await answer(session, { answer: '' });
  expect(await resultOf(session)).toMatch(
    /^Error: trigger-elicitation-request asked the person: "Please .* was not called/,
  );
});

test('a tool of a newer server asks twice, and takes effect once', async () => {
  const effects = join(run.home, 'effects');
  const session = await turnWith(newerServer(effects), 'order', { what: 'hat' }, human);
  const first = await questionOf(session);
  expect(first.question.split('\n')).toEqual([
    'The MCP server newer asks, for its tool order: Which size?',
    'Answer with size (a whole number from 1 to 9)',
  ]);
  await answer(session, { answer: '4' });
  const second = await questionOf(session, first);
  expect(second.question).toContain('Order hat in 4?');
  await answer(session, { answer: 'yes' });
  expect(await resultOf(session)).toBe('Ordered hat in 4.');
  expect(readFileSync(effects, 'utf8')).toBe('hat 4\n');
});

test('a person who skips declines', async () => {
  const session = await turnWith(newerServer(), 'order', { what: 'hat' }, human);
  await questionOf(session);
  await answer(session, { answer: '' });
  expect(await resultOf(session)).toBe('No size, no order.');
});

test('an answer that does not come in time ends the call without one', async () => {
  const session = await turnWith(newerServer(), 'sign', {}, { ...human, broadcast_timeout: 1 });
  expect(await resultOf(session)).toBe('Signed: cancel.');
});

test('where nobody is to be asked it is declined, and the agent is told', async () => {
  const session = await turnWith(newerServer(), 'order', { what: 'hat' }, { broadcast: false });
  expect(await resultOf(session)).toBe(
    'No size, no order.\n[The server asked: "Which size?". Nobody is here to answer, so it was declined.]',
  );
});
