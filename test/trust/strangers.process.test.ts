import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import type proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import type { OneAgentConfigInput } from '../../src/config/one-agent.ts';
import type { PreparedSession } from '../../src/protocol/session.ts';
import { running, type Running } from '../support/running.ts';
import { newerServer } from '../support/mcp.ts';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** A worker that allows nothing, on a real server, and somebody who may start workflows there. */
let worker: Running;
let owner: Reprise;
let taken: string;
let count = 0;

beforeAll(async () => {
  worker = await running(() => ({ text: 'Hello' }));
  const { address } = inject('temporal');
  owner = await connect({ address, taskQueue: worker.taskQueue, home: worker.home });
  taken = join(worker.home, 'taken');
});

afterAll(async () => {
  await owner?.close();
  await worker?.[Symbol.asyncDispose]();
});

/** Starts a workflow as the Temporal CLI does. @returns why it failed; empty if it did not */
async function byStranger(type: string, input: unknown): Promise<string> {
  const workflowId = `stranger-${worker.taskQueue}-${++count}`;
  const options = { taskQueue: worker.taskQueue, workflowId, args: [input] };
  const handle = await worker.client.workflow.start(type, options);
  try {
    await handle.result();
    return '';
  } catch (error) {
    return reasonOf(error);
  }
}

/** The messages of an error and all its causes. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${reasonOf(error.cause)}` : '';

/** What the worker has prepared a run's input to, as anybody can read it who may read the namespace. */
function preparedIn({ events }: { events?: HistoryEvent[] | null }): PreparedSession {
  for (const { activityTaskCompletedEventAttributes: completed } of events ?? []) {
    const [payload] = completed?.result?.payloads ?? [];
    if (payload) return defaultPayloadConverter.fromPayload<PreparedSession>(payload);
  }
  throw new Error('The history has no prepared input');
}

const command = () => ({ name: 's', command: 'sh', args: ['-c', `touch ${taken}`] });

/** A backend whose address is sent a variable that is not its own. */
const elsewhere = () => ({ model: 'm', base_url: worker.model.openai, api_key_env: 'ANTHROPIC_API_KEY' });

/** One agent on such a backend. @param servers of its tools */
const agentWith = (servers: McpServerInput[] = []): OneAgentConfigInput => ({
  modules: [
    { module: 'OpenAILLM', id: 'llm', config: elsewhere() },
    { module: 'SimpleToolOrchestrator', id: 'agent' },
    { module: 'MCPToolProvider', id: 'tools', config: { servers } },
  ],
  exchange: [
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
    { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
    { module: 'agent', protocol: 'ToolProviderProtocol', provider: ['tools'] },
  ],
});

type McpServerInput = { name: string; command: string; args: string[] };

describe('whoever may start workflows', () => {
  test('runs no command, and asks no model at an address of their own', async () => {
    const withCommand = { agents: [{ id: 'a', backend: { type: 'openai', mcp_servers: [command()] } }] };
    expect(await byStranger('orchestration', { task: 'T', config: withCommand })).toContain(
      'config.agents[0].backend.mcp_servers[0].command: an input may not bring a command of its own. ' +
        `Put the configuration into the worker's folder and name it, start the run with \`reprise ask --config FILE "…"\`, ` +
        'or start the worker with --allow commands',
    );
    const research = { idea: 'I', config: { research: { backend: { type: 'openai', ...elsewhere() } } } };
    expect(await byStranger('research', research)).toContain('config.research.backend.api_key_env: an input may not');
    const attached = { problem: 'P', attachments: ['/etc/passwd'] };
    expect(await byStranger('planAndExecute', attached)).toContain('attachments[0]: an input may not name a file');
    expect(existsSync(taken)).toBe(false);
    expect(worker.model.requests).toEqual([]);
  });

  test('gets an answer as ever where nothing reaches beyond, and names the configurations of the worker', async () => {
    expect(await byStranger('session', { text: 'Hi' })).toBe('');
    writeFileSync(join(worker.home, 'own.yaml'), JSON.stringify(agentWith()));
    worker.model.requests.length = 0;
    expect(await byStranger('session', { text: 'Hi', config: 'own' })).toBe('');
    expect(worker.model.requests.length).toBeGreaterThan(0);
  });

  test('cannot begin a session as if another had prepared it', async () => {
    const opened = owner.getSession(`owned-${worker.taskQueue}`, { config: agentWith() });
    await opened.send('Hi');
    const prepared = preparedIn(await owner.client.workflow.getHandle(opened.id).fetchHistory());
    await opened.close();
    expect(prepared).toMatchObject({ kind: 'agent', agent: { backend: { seal: expect.any(String) } } });
    // No configuration of the worker itself says the same.
    rmSync(join(worker.home, 'own.yaml'), { force: true });
    worker.model.requests.length = 0;

    const last = { answer: '', messages: [], outcome: 'answered', warnings: [], turns: 0 };
    const said = { transcript: null, append: [] };
    const begun = { run: { events: 0, requests: 0 }, said, files: {}, last };
    const stolen = { earlier: { ...begun, prepared: { ...prepared, text: 'Hi' } } };
    // Only a run that another one has gone on in may say what that has come to.
    expect(await byStranger('session', stolen)).toMatch(/earlier: /);
    expect(worker.model.requests).toEqual([]);
  });

  test('cannot have a tool called by a workflow of their own', async () => {
    const tool = { name: 'x', source: { mcp: command() }, sideEffects: 'undeclared', timeout: 10 };
    const calls = [{ tool, arguments: {}, agent: 'a' }];
    const refusal = await byStranger('toolCalls', calls);
    expect(refusal).toContain('mcp.command: an input may not bring a command of its own');
    expect(existsSync(taken)).toBe(false);
  });
});

describe('the owner notices nothing', () => {
  test('of a team with a command of its own, by the library', async () => {
    const { args, command, name } = newerServer() as McpServerInput;
    const run = await owner.startSession({ text: 'Hi', config: agentWith([{ name, command, args }]) });
    await expect(run.result()).resolves.toMatchObject({ answer: 'Hello' });
  });

  test('of a session that begins with its first turn', async () => {
    const session = owner.getSession(`begins-${worker.taskQueue}`, { config: agentWith() });
    await expect(session.send('Hi')).resolves.toMatchObject({ answer: 'Hello' });
    await expect(session.send('Again')).resolves.toMatchObject({ turn: 2 });
    await session.close();
  });

  test('but the owner of another home is told what to do', async () => {
    const { address } = inject('temporal');
    const other = await connect({ address, taskQueue: worker.taskQueue, home: join(worker.home, 'another') });
    const run = await other.startSession({ text: 'Hi', config: agentWith([command()]) });
    await expect(run.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('whoever signs needs the same REPRISE_HOME') },
    });
    await other.close();
  });
});
