import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import {
  claudeCodeModules,
  codeScript,
  filesIn,
  installIn,
  leftIn,
  modelResults,
  own,
  useTool,
} from '../support/claude-code.ts';
import { toolResults } from '../support/reading.ts';
import { running } from '../support/running.ts';
import { answer, ask, teamScript } from '../support/team-script.ts';

// Other tests of Claude Code must not find their places here.
const temporary = mkdtempSync(join(tmpdir(), 'reprise-places-'));
let modules: string;
beforeAll(async () => {
  process.env['TMPDIR'] = temporary;
  modules = await claudeCodeModules();
}, 600_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const config = {
  agents: [
    { id: 'coder', system_message: 'I am coder.', backend: { type: 'claude_code' } },
    { id: 'thinker', system_message: 'I am thinker.', backend: { type: 'openai', model: 'gpt-5' } },
  ],
  orchestrator: { coordination: { max_orchestration_restarts: 0, broadcast: 'agents' } },
  prices: { 'gpt-5': { input: 1, cachedInput: 0.1, output: 10 } },
};

test('Claude Code is an agent of a team: it changes its files, answers and votes, and its costs are counted', async () => {
  const others = teamScript({
    answer: (request) => (toolResults(request).length === 0 ? ask('Which notes?') : answer('The notes say one.')),
  });
  await using run = await running(
    codeScript(({ asked, done, place }) => {
      if (asked === 'present') return { text: 'Presented by coder.' };
      if (asked === 'vote') return own('vote', { agent_id: 'agent1', reason: 'mine' });
      if (done === 0) return useTool('Write', { file_path: place('src/notes.txt'), content: 'one\n' });
      if (done === 1)
        return useTool('Edit', { file_path: place('src/notes.txt'), old_string: 'one', new_string: 'two' });
      const usage = { input: 1000, cached: 600 };
      return { ...own('new_answer', { content: 'The notes say two.' }), text: 'That is it.', usage };
    }, others),
  );
  installIn(run.home, modules);
  const handle = await run.start({ task: 'Write notes.', config });
  const result = (await handle.result()) as OrchestrationResult;
  const requests = run.model.requests.filter(({ wire }) => wire === 'anthropic');
  const [, , third, fourth] = requests;

  expect(result).toMatchObject({ answer: 'Presented by coder.', finalAgent: 'coder', outcome: 'submitted' });
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
  expect(requests).toHaveLength(5);
  expect(result.usage.byAgent['coder']).toMatchObject({
    calls: 3,
    inputTokens: 4 * 10 + 1000,
    cachedInputTokens: 600,
    outputTokens: 5 * 5,
  });
  // As Claude Code says: claude-sonnet-5-5 at $2, $0.10 and $10 a million tokens.
  expect(result.usage.byAgent['coder']?.costUsd).toBeCloseTo((440 * 2 + 600 * 0.1 + 25 * 10) / 1e6, 6);

  // The next turn goes on with the session, whose conversation begins with what was said before.
  expect(fourth?.messages.slice(0, 3)).toEqual(third?.messages.slice(0, 3));
  expect(fourth?.prompt).toContain('Result of your call of new_answer:\nRecorded.');

  // It neither asks nor is asked.
  expect(requests.every(({ prompt, raw }) => !prompt.includes('ask_others') && !raw.includes('Which notes?'))).toBe(
    true,
  );
  const told = run.model.requests.flatMap(toolResults);
  expect(told).toContainEqual(expect.stringContaining('"status"'));
  expect(leftIn(temporary)).toEqual([]);
});

test('without its package it is refused before anything is asked, with the command that installs it', async () => {
  await using run = await running(() => ({ status: 404 }));
  await expect(run.orchestrate({ task: 'x', config })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('npm install @anthropic-ai/claude-agent-sdk@') as string },
  });
  expect(run.model.requests).toHaveLength(0);
});
