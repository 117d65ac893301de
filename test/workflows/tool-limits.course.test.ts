import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, toolResults } from '../support/agent-script.ts';
import type { Scripted, Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';
import { textsIn, writeFiles } from '../support/workspace-script.ts';

const running = sharedRunning();

const edit = (at: number): Scripted =>
  call('edit_file', { path: 'count.txt', old_text: `${at}\n`, new_text: `${at}\n${at + 1}\n` });
const list = call('list_files', {});
const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;

async function play(acts: Parameters<typeof teamScript>[0], limits: object = {}) {
  const run = running(teamScript(acts));
  rmSync(join(run.home, 'repo'), { recursive: true, force: true });
  writeFiles(join(run.home, 'repo'), { 'count.txt': '0\n' });
  const team = teamOf(['agent_1'], { type: 'openai', cwd: 'repo' }, { max_orchestration_restarts: 0 });
  const agents = team.agents.map((agent) => ({ ...agent, ...limits }));
  const result = await run.orchestrate({ task: 'Count.', config: { ...team, agents } });
  const texts = await textsIn(run.home, result.workspace?.tree ?? null);
  return { result, counted: texts['count.txt']?.trim().split('\n').length, requests: [...run.model.requests] };
}

test('by default an agent of a team may use its tools fifty-nine times before it answers, and loses none of it', async () => {
  const { counted, requests, result } = await play({
    answer: (request) => (done(request) < 59 ? edit(done(request)) : answer('Counted.')),
  });
  expect(counted).toBe(60);
  expect(result).toMatchObject({ outcome: 'submitted', warnings: [] });
  const last = requests.find((request) => request.toolChoice !== 'none' && done(request) === 59);
  expect(last?.prompt).toMatch(
    /Only 3 more replies[^]*Only 2 more replies[^]*Only your next reply[^]*last use of tools/,
  );
});

test('at its limit an agent is held to an answer; what it calls all the same is named to it and in the warnings', async () => {
  const asked: TeamRequest[] = [];
  const { result } = await play(
    {
      answer: (request) => {
        asked.push(request);
        return done(request) < 4 ? edit(done(request)) : answer('Counted up to 3.');
      },
    },
    { max_thoughts: 4 },
  );
  expect(toolResults(asked.at(-1)!).at(-1)).toMatch(/^Error: edit_file was not run, since no tools were available/);
  expect(result.answer).toContain('final answer');
  expect(result.warnings).toEqual(['agent_1 had no reply with tools left, so that these were not run: edit_file']);
});

test('the final agent has the limit of the agent whose answer it presents, and says what it did not run', async () => {
  const { result } = await play(
    { answer: () => answer('Nothing yet.'), vote: () => vote('agent1'), present: () => list },
    { max_thoughts: 3 },
  );
  expect(result.answer).toBe('Nothing yet.');
  expect(result.warnings).toContain('agent_1 had no reply with tools left, so that these were not run: list_files');
});
