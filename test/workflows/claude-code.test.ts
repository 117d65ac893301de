import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import {
  claudeCodeModules,
  codeScript,
  filesIn,
  installIn,
  modelResults,
  own,
  useTool,
  type CodeRequest,
} from '../support/claude-code.ts';
import type { Scripted, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';

let modules: string;
beforeAll(async () => {
  modules = await claudeCodeModules();
}, 600_000);

const prices = { 'gpt-5': { input: 1, cachedInput: 0.1, output: 10 } };

const config = (backend: object = {}, coordination: object = {}, rest: object = {}) => ({
  agents: [
    { id: 'coder', system_message: 'I am coder.', backend: { type: 'claude_code', ...backend } },
    { id: 'thinker', system_message: 'I am thinker.', backend: { type: 'openai', model: 'gpt-5' } },
  ],
  orchestrator: { coordination: { max_orchestration_restarts: 0, ...coordination } },
  prices,
  ...rest,
});

type Act = (request: CodeRequest) => Scripted | Promise<Scripted>;

async function runningWith(act: Act, variables: NodeJS.ProcessEnv = {}): Promise<Running> {
  const run = await running(codeScript(act), variables);
  installIn(run.home, modules);
  return run;
}

/** Does the steps one after the other while it answers, then votes for the first answer, and presents. */
const doing =
  (steps: (request: CodeRequest) => Scripted[]): Act =>
  (request) => {
    if (request.asked === 'present') return { text: 'Presented by coder.' };
    if (request.asked === 'decide') return own('submit', { confirmed: true });
    if (request.asked === 'vote') return own('vote', { agent_id: 'agent1', reason: 'mine' });
    return steps(request)[request.done] ?? { status: 404 };
  };

const ofCoder = ({ requests }: Running['model']): Seen[] => requests.filter(({ wire }) => wire === 'anthropic');

/** What the tools of Claude Code have said while it answered. */
const toolsSaid = ({ model }: Running): string[] =>
  ofCoder(model)
    .map(({ messages }) => messages.filter(({ role }) => role === 'tool').map(({ text }) => text))
    .reduce((longest, each) => (each.length > longest.length ? each : longest), []);

const places = join(tmpdir(), `reprise-claude-code-${userInfo().uid}`);

test('Claude Code is an agent of a team: it changes its files, answers and votes, and its costs are counted', async () => {
  await using run = await runningWith(
    doing(({ place }) => [
      { ...useTool('Write', { file_path: place('src/notes.txt'), content: 'one\n' }), text: 'I write.' },
      useTool('Edit', { file_path: place('src/notes.txt'), old_string: 'one', new_string: 'two' }),
      { ...own('new_answer', { content: 'The notes say two.' }), text: 'That is it.', usage: { input: 1000, cached: 600 } },
    ]),
  );
  const handle = await run.start({ task: 'Write notes.', config: config() });
  const result = (await handle.result()) as OrchestrationResult;

  expect(result).toMatchObject({ answer: 'Presented by coder.', finalAgent: 'coder', outcome: 'submitted', warnings: [] });
  expect(result.votes).toContainEqual({ voter: 'coder', agent: 'coder', reason: 'mine' });
  const [answered] = (await modelResults(handle)).filter(({ agent }) => agent === 'coder');
  expect(answered?.result.reply).toMatchObject({
    content: 'That is it.',
    calls: [{ name: 'new_answer', input: { content: 'The notes say two.' } }],
    finish: 'tool_calls',
    work: [
      { tool: 'Write', status: 'ok' },
      { tool: 'Edit', status: 'ok' },
    ],
  });
  expect(await filesIn(run.home, answered?.result.tree ?? null)).toEqual({ 'src/notes.txt': 'two\n' });
  // Each turn counts what it has cost itself, though a session's own sum grows from turn to turn.
  const { coder } = result.usage.byAgent;
  const requests = ofCoder(run.model).length;
  expect(requests).toBe(5);
  expect(coder).toMatchObject({
    calls: 3,
    inputTokens: 10 * (requests - 1) + 1000,
    cachedInputTokens: 600,
    outputTokens: 5 * requests,
  });
  // As Claude Code says: claude-sonnet-5-5 at $2, $0.10 and $10 a million tokens.
  expect(coder?.costUsd).toBeCloseTo((440 * 2 + 600 * 0.1 + 25 * 10) / 1e6, 6);
  // The next turn goes on with the session, whose conversation begins with what was said before.
  const [, , third, fourth] = ofCoder(run.model);
  expect(fourth?.messages.slice(0, 3)).toEqual(third?.messages.slice(0, 3));
  expect(fourth?.prompt).toContain('Result of your call of new_answer:\nRecorded.');
  expect(readdirSync(places)).toEqual([]);
});

test('it reaches no file outside of its workspace with its tools, and no tool that it was not given', async () => {
  const secret = join(tmpdir(), 'reprise-secret.txt');
  writeFileSync(secret, 'the secret');
  const out = join(tmpdir(), 'reprise-outside.txt');
  rmSync(out, { force: true });
  await using run = await runningWith(
    doing(({ place }) => [
      useTool('Read', { file_path: secret }),
      useTool('Read', { file_path: place('../../../reprise-secret.txt') }),
      useTool('Write', { file_path: out, content: 'x' }),
      useTool('Write', { file_path: place('../evil.txt'), content: 'x' }),
      useTool('Grep', { pattern: 'secret', path: tmpdir(), output_mode: 'content' }),
      useTool('Grep', { pattern: 'secret', glob: '../../*', output_mode: 'content' }),
      useTool('Glob', { pattern: `${tmpdir()}/*` }),
      useTool('Glob', { pattern: '*', path: '/etc' }),
      useTool('Bash', { command: `cat ${secret}` }),
      useTool('WebFetch', { url: run.model.openai, prompt: 'x' }),
      useTool('Agent', { prompt: 'x', description: 'x', subagent_type: 'general-purpose' }),
      own('ask_others', { question: 'x' }),
      own('new_answer', { content: 'I could not.' }),
    ]),
  );
  const result = await run.orchestrate({ task: 'Look around.', config: config({}, { broadcast: 'agents' }) });
  expect(result.outcome).toBe('submitted');
  const said = toolsSaid(run);
  for (const text of said.slice(0, 8)) expect(text).toMatch(/outside of your workspace|may lead out of your workspace/);
  for (const text of said.slice(8, 12)) expect(text).toContain('No such tool available');
  expect(ofCoder(run.model).some(({ raw }) => raw.includes('the secret'))).toBe(false);
  expect(existsSync(out)).toBe(false);
  expect(ofCoder(run.model).some(({ prompt }) => /ask_others/.test(prompt.replaceAll('mcp__reprise__ask_others', '')))).toBe(false);
});

test('with commands it runs them in its folder, without the key and the variables of the worker', async () => {
  await using run = await runningWith(
    doing(() => [
      useTool('Bash', { command: 'env; pwd; echo made > made.txt; mkdir sub; ln -s /etc sub/out', description: 'x' }),
      own('new_answer', { content: 'Made.' }),
    ]),
    { SECRET_OF_WORKER: 'the worker’s secret' },
  );
  const backend = { enable_mcp_command_line: true, command_line_execution_mode: 'local' };
  const handle = await run.start({ task: 'Run it.', config: config(backend) });
  await handle.result();
  const [said = ''] = toolsSaid(run);
  expect(said).toMatch(/\/workspace\b/);
  expect(said).not.toMatch(/test-key|API_KEY=|SECRET_OF_WORKER/);
  const [answered] = (await modelResults(handle)).filter(({ agent }) => agent === 'coder');
  expect(await filesIn(run.home, answered?.result.tree ?? null)).toEqual({ 'made.txt': 'made\n' });
  expect(ofCoder(run.model)[0]?.headers['x-api-key']).toBe('test-key-anthropic');
});

test('while the team plans it may only read', async () => {
  await using run = await runningWith(
    doing(({ place }) => [
      useTool('Write', { file_path: place('a.txt'), content: 'x' }),
      own('new_answer', { content: 'A plan.' }),
    ]),
  );
  const handle = await run.start({ task: 'Plan.', config: config({}, { enable_planning_mode: true }) });
  await handle.result();
  expect(ofCoder(run.model)[0]?.definedTools).not.toContain('Write');
  expect(toolsSaid(run)[0]).toContain('No such tool available');
  const [answered] = (await modelResults(handle)).filter(({ agent }) => agent === 'coder');
  expect(answered?.result).not.toHaveProperty('tree');
});

describe('it stops', () => {
  test('after max_turns, and is asked for its answer again', async () => {
    await using run = await runningWith((request) => {
      console.log(request.asked, request.done, JSON.stringify(request.messages.at(-1)).slice(0,200));
      if (request.messages.at(-1)?.text.includes('new_answer')) return own('new_answer', { content: 'Enough.' });
      return doing(({ place }) => Array.from({ length: 9 }, () => useTool('Glob', { pattern: '*', path: place('.') })))(request);
    });
    const result = await run.orchestrate({ task: 'Go on for ever.', config: config({ max_turns: 3 }) });
    expect(result.outcome).toBe('submitted');
  });

  test('when the budget of money is spent', async () => {
    await using run = await runningWith(
      doing(({ place }) =>
        Array.from({ length: 90 }, () => ({
          ...useTool('Glob', { pattern: '*', path: place('.') }),
          usage: { input: 100_000, output: 10 },
        })),
      ),
    );
    const result = await run.orchestrate({ task: 'Spend.', config: config({}, {}, { budget: { usd: 1 } }) });
    expect(result.outcome).toBe('budget');
    // Each request costs 20 cents.
    expect(ofCoder(run.model).length).toBeLessThan(8);
    expect(result.usage.costUsd).toBeGreaterThan(1);
    expect(result.usage.costUsd).toBeLessThan(1.5);
  });
});

test('without its package it is refused before anything is asked, with the command that installs it', async () => {
  await using run = await running(() => ({ status: 404 }));
  await expect(run.orchestrate({ task: 'x', config: config() })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('npm install @anthropic-ai/claude-agent-sdk@') as string },
  });
  expect(run.model.requests).toHaveLength(0);
});

test('what its provider refuses is told as for any backend', async () => {
  await using run = await runningWith(() => ({ status: 401, errorBody: '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}' }));
  const handle = await run.start({ task: 'x', config: config() });
  await handle.result();
  const log = readFileSync(join(run.home, 'logs', 'log.txt'), 'utf8');
  expect(log).toMatch(/coder.*401|invalid x-api-key/);
});
