import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClaudeCode } from '../../src/models/claude-code/backend.ts';
import { createCallModel } from '../../src/activities/model.ts';
import type { CallModelInput, CallModelResult } from '../../src/protocol/model-call.ts';
import type { ToolSpec } from '../../src/protocol/message.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import {
  claudeCodeModules,
  codeScript,
  filesIn,
  installIn,
  leftIn,
  own,
  useTool,
  type CodeRequest,
} from '../support/claude-code.ts';
import { startModelServer, type ModelServer, type Scripted } from '../support/model-server.ts';
import { testCaller } from '../support/activity-bench.ts';

const home = mkdtempSync(join(tmpdir(), 'reprise-claude-'));
const store = openSqliteStore(join(home, 'store.sqlite'));
let act: (request: CodeRequest) => Scripted | Promise<Scripted>;
let model: ModelServer;
// Other tests of Claude Code must not find their places here.
const temporary = join(home, 'tmp');
beforeAll(async () => {
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  installIn(home, await claudeCodeModules());
  model = await startModelServer(codeScript((request) => act(request)));
}, 600_000);
afterAll(async () => {
  await store.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

const say: ToolSpec = {
  name: 'say',
  description: 'Say it.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** Does one step after the other, and then says that it is done. */
const doing =
  (steps: (request: CodeRequest) => Scripted[]): typeof act =>
  (request) =>
    steps(request)[request.done] ?? own('say', { text: 'Done.' });

let count = 0;

/** Starts a turn of Claude Code as the activity `callModel`. */
async function turn(input: Partial<CallModelInput>, script: typeof act, worker: NodeJS.Dict<string> = {}) {
  act = script;
  model.requests.length = 0;
  const environment = new MockActivityEnvironment({
    activityId: `model-${++count}`,
    workflowExecution: { workflowId: 'w', runId: 'r' },
  });
  const variables = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: model.anthropic, ...worker };
  const askClaudeCode = createClaudeCode({ store, environment: variables, configFolder: home });
  const callModel = createCallModel({ store, askClaudeCode, openModel: () => expect.fail('no model is asked') });
  const full: CallModelInput = {
    backend: { type: 'claude_code', model: 'claude-sonnet-5-5' },
    transcript: null,
    append: [{ role: 'user', content: 'Go.' }],
    tools: { blob: await store.putBlob(JSON.stringify([say])) },
    work: { files: { tree: null, mounts: [] } },
    caller: testCaller,
    ...input,
  };
  return { environment, result: environment.run<[CallModelInput], CallModelResult, typeof callModel>(callModel, full) };
}

const run = async (...given: Parameters<typeof turn>): Promise<CallModelResult> => (await turn(...given)).result;

const toolsSaid = (): string[] =>
  model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .map(({ text }) => text) ?? [];

async function treeOf(files: Record<string, string>): Promise<string | null> {
  const entries = Object.entries(files).map(async ([path, text]) => {
    const [id = ''] = await store.putObjects([Buffer.from(text)]);
    return [path, { id, bytes: text.length, mode: 'file' as const }] as const;
  });
  return new Trees(store).write(new Map(await Promise.all(entries)));
}

/** A PNG of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a turn of Claude Code', () => {
  test('reaches no file outside of its workspace with its tools, and no tool that it was not given', async () => {
    const secret = join(home, 'secret.txt');
    writeFileSync(secret, 'the secret');
    const out = join(home, 'outside.txt');
    const mounts = [{ path: 'others', tree: (await treeOf({ 'b.txt': 'theirs' })) ?? '' }];
    const files = { tree: await treeOf({ 'a.txt': 'mine' }), mounts };
    const refused = (({ place }: CodeRequest) => [
      useTool('Read', { file_path: secret }),
      useTool('Read', { file_path: place(`../../../${secret}`) }),
      useTool('Write', { file_path: out, content: 'x' }),
      useTool('Write', { file_path: place('../evil.txt'), content: 'x' }),
      useTool('Grep', { pattern: 'secret', path: home, output_mode: 'content' }),
      useTool('Grep', { pattern: 'secret', glob: '../../*', output_mode: 'content' }),
      useTool('Glob', { pattern: `${home}/*` }),
      useTool('Glob', { pattern: '{a,/etc}/*' }),
      useTool('Glob', { pattern: '*', path: '/etc' }),
      useTool('Write', { file_path: place('others/b.txt'), content: 'x' }),
      useTool('Bash', { command: `cat ${secret}` }),
      useTool('WebFetch', { url: model.openai, prompt: 'x' }),
      useTool('Agent', { prompt: 'x', description: 'x', subagent_type: 'general-purpose' }),
      own('other', { text: 'x' }),
    ]) satisfies (request: CodeRequest) => Scripted[];
    const result = await run(
      { work: { files } },
      doing((request) => [
        ...refused(request),
        useTool('Read', { file_path: request.place('others/b.txt') }),
        useTool('Read', { file_path: request.place('a.txt') }),
      ]),
    );
    const said = toolsSaid();
    for (const text of said.slice(0, 9))
      expect(text).toMatch(/outside of your workspace|may lead out of your workspace/);
    expect(said[9]).toContain('what is in others/ is not yours');
    for (const text of said.slice(10, 14)) expect(text).toContain('No such tool available');
    expect(said.slice(14).map((text) => text.match(/theirs|mine/)?.[0])).toEqual(['theirs', 'mine']);
    expect(model.requests.some(({ raw }) => raw.includes('the secret'))).toBe(false);
    expect(existsSync(out)).toBe(false);
    expect(result.reply.calls).toMatchObject([{ name: 'say', input: { text: 'Done.' } }]);
    expect(result).not.toHaveProperty('tree');
  });

  test('runs commands in its folder where it may, without the key and the variables of the worker', async () => {
    const backend = {
      type: 'claude_code' as const,
      enable_mcp_command_line: true,
      command_line_execution_mode: 'local' as const,
    };
    const command = 'env; pwd; echo made > made.txt; mkdir sub; ln -s /etc sub/out; exit 3';
    const result = await run(
      { backend },
      doing(() => [useTool('Bash', { command, description: 'x' })]),
      { SECRET_OF_WORKER: 'the secret of the worker', REPRISE_ALLOW_COMMANDS: 'local' },
    );
    const [said = ''] = toolsSaid();
    expect(said).toMatch(/\/workspace\b/);
    expect(said).not.toMatch(/test-key|API_KEY=|SECRET_OF_WORKER/);
    expect(model.requests[0]?.headers['x-api-key']).toBe('test-key');
    expect(await filesIn(home, result.tree ?? null)).toEqual({ 'made.txt': 'made\n' });
    expect(result.reply.work).toMatchObject([{ tool: 'Bash', status: 'error' }]);
  });

  test('only reads while the team plans, and has no tools of its own without files', async () => {
    const files = { tree: await treeOf({ 'a.txt': 'mine' }), mounts: [] };
    const writing = doing(({ place }) => [useTool('Write', { file_path: place('a.txt'), content: 'x' })]);
    const result = await run({ work: { files, readsOnly: true } }, writing);
    expect(model.requests[0]?.definedTools.toSorted()).toEqual(['Glob', 'Grep', 'Read', 'mcp__reprise__say']);
    expect(toolsSaid()[0]).toContain('No such tool available');
    expect(result).not.toHaveProperty('tree');
    await run({ work: {} }, writing);
    expect(model.requests[0]?.definedTools).toEqual(['mcp__reprise__say']);
    expect(toolsSaid()[0]).toContain('No such tool available');
  });

  test('writes text where a text is wanted, and is told what was said before, pictures included', async () => {
    const blob = await store.putBlob(picture);
    const result = await run(
      {
        system: 'You are a painter.',
        append: [
          { role: 'user', content: 'Paint /init a @file.' },
          { role: 'assistant', content: 'Which colour?' },
          { role: 'user', content: 'As here.', images: [{ blob, mediaType: 'image/png' }] },
        ],
        toolChoice: 'none',
      },
      ({ done }) => (done === 0 ? own('say', { text: 'x' }) : { text: 'Painted.' }),
    );
    expect(result.reply).toMatchObject({ content: 'Painted.', calls: [], finish: 'stop' });
    expect(toolsSaid()).toEqual(['This tool cannot be called now: write your reply as text.']);
    const [first] = model.requests;
    expect(first?.prompt).toContain('You are a painter.');
    expect(first?.prompt).toContain('User: Paint /init a @file.\n\nYou: Which colour?\n\n---\n\nAs here.');
    expect(first?.raw).toContain(picture);
  });

  test('is cut off after max_turns, and goes on with the next call', async () => {
    const backend = { type: 'claude_code' as const, model: 'claude-sonnet-5-5', max_turns: 2 };
    const looking = doing(({ place }) =>
      Array.from({ length: 9 }, () => useTool('Glob', { pattern: '*', path: place('') })),
    );
    const { notices, reply, transcript } = await run({ backend }, looking);
    expect(reply).toMatchObject({ content: '', calls: [], finish: 'length' });
    expect(notices).toEqual(['claude_code stopped after 2 turns (max_turns)']);
    expect(model.requests).toHaveLength(2);
    const next = await run({ backend, transcript, append: [{ role: 'user', content: 'And?' }] }, () =>
      own('say', { text: 'Well.' }),
    );
    expect(next.reply.calls).toMatchObject([{ input: { text: 'Well.' } }]);
    expect(model.requests[0]?.messages.at(-1)?.text).toBe('And?');
  });

  test('stops when it has cost as much as it may', async () => {
    const spending = doing(({ place }) =>
      Array.from({ length: 9 }, () => ({
        ...useTool('Glob', { pattern: '*', path: place('') }),
        usage: { input: 100_000 },
      })),
    );
    const work = { files: { tree: null, mounts: [] }, mostUsd: 0.5 };
    const { notices, reply, usage } = await run({ work }, spending);
    expect(reply.finish).toBe('length');
    expect(notices).toEqual(['claude_code stopped because the budget is spent']);
    // Each request costs 20 cents.
    expect(model.requests).toHaveLength(3);
    expect(usage.costUsd).toBeCloseTo(0.6, 2);
  });

  test('fails as its provider does, in the provider’s words', async () => {
    const errorBody = '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}';
    await expect(run({}, () => ({ status: 401, errorBody }))).rejects.toMatchObject({
      type: 'Unauthorized',
      nonRetryable: true,
      message: expect.stringMatching(/^claude_code claude-sonnet-5-5: 401 .*ANTHROPIC_API_KEY/) as string,
    });
    await expect(
      run({}, () => ({
        status: 404,
        errorBody: '{"type":"error","error":{"type":"not_found_error","message":"model"}}',
      })),
    ).rejects.toMatchObject({ type: 'NotFound', nonRetryable: true });
    await expect(run({}, () => ({ status: 429, headers: { 'retry-after': '0' } }))).rejects.toMatchObject({
      type: 'RateLimited',
      nonRetryable: false,
    });
  });

  test('that its provider refuses or cuts off fails for good, in words', async () => {
    await expect(run({}, () => ({ text: 'No.', finish: 'refusal' }))).rejects.toMatchObject({
      type: 'ContentRefused',
      nonRetryable: true,
    });
    const full = { text: 'Half of', finish: 'model_context_window_exceeded' };
    await expect(run({}, () => full)).rejects.toMatchObject({ type: 'ContextTooLong', nonRetryable: true });
  });

  test('ends with its process when it is cancelled, and its cost is recorded', async () => {
    const held = Promise.withResolvers<void>();
    const { environment, result } = await turn({}, ({ done, place }) => {
      if (done === 0) return useTool('Glob', { pattern: '*', path: place('') });
      held.resolve();
      return new Promise<Scripted>(() => {});
    });
    const cancelled = held.promise.then(() => environment.cancel());
    await expect(result).rejects.toThrow(CancelledFailure);
    await cancelled;
    expect(await store.spent([`r/model-${count}`])).toEqual(
      new Map([[`r/model-${count}`, expect.objectContaining({ inputTokens: 10, outputTokens: 5 })]]),
    );
  });

  test('leaves nothing behind', () => {
    expect(leftIn(temporary)).toEqual([]);
  });
});
