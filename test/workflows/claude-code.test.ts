import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CallModelInput, CallModelResult } from '../../src/protocol/model-call.ts';
import { Trees } from '../../src/sandbox/tree.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { claudeCodeModules, codeScript, installIn, own, useTool, type CodeRequest } from '../support/claude-code.ts';
import type { Scripted } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';

let modules: string;
beforeAll(async () => {
  modules = await claudeCodeModules();
}, 600_000);

const prices = { 'gpt-5': { input: 1, cachedInput: 0.1, output: 10 } };

const config = (backend: object = {}, coordination: object = {}) => ({
  agents: [
    { id: 'coder', system_message: 'I am coder.', backend: { type: 'claude_code', ...backend } },
    { id: 'thinker', system_message: 'I am thinker.', backend: { type: 'openai', model: 'gpt-5' } },
  ],
  orchestrator: { coordination: { max_orchestration_restarts: 0, ...coordination } },
  prices,
});

async function runningWith(act: (request: CodeRequest) => Scripted | Promise<Scripted>): Promise<Running> {
  const run = await running(codeScript(act));
  installIn(run.home, modules);
  return run;
}

test('Claude Code is an agent of a team: it changes its files, answers and votes', async () => {
  await using run = await runningWith(({ asked, at, done, messages, tools, prompt }) => {
    console.log(asked, done, JSON.stringify(messages.at(-1)).slice(0, 300), tools);
    if (asked === 'present') return { text: 'Presented by coder.' };
    if (asked === 'vote') return own('vote', { agent_id: 'agent1', reason: 'mine' });
    const steps = [
      { ...useTool('Write', { file_path: at('src/notes.txt'), content: 'one\n' }), text: 'I write.' },
      useTool('Edit', { file_path: at('src/notes.txt'), old_string: 'one', new_string: 'two' }),
      own('new_answer', { content: 'The notes say two.' }),
    ];
    return steps[done] ?? { status: 404 };
  });
  const result = await run.orchestrate({ task: 'Write notes.', config: config() });
  console.log(JSON.stringify(result, null, 1));
  expect(result).toMatchObject({ answer: 'Presented by coder.', finalAgent: 'coder', outcome: 'submitted' });
});
