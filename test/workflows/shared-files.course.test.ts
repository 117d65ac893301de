import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { agentOf, call, toolResults } from '../support/agent-script.ts';
import type { Script, Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, teamOf, teamScript } from '../support/team-script.ts';
import { textsIn, writeFiles } from '../support/workspace-script.ts';

const running = sharedRunning();

const write = (path: string, content: string) => call('write_file', { path, content });
const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;

describe('the subtasks of a plan share their files', () => {
  const config = { plan: { backend: { type: 'openai', cwd: 'project' } } };

  async function solve(
    script: Script,
    meanwhile: (handle: WorkflowHandle) => Promise<unknown> = async () => {},
  ): Promise<{ home: string; result: SolveResult; events: RunEvent[] }> {
    const run = running(script);
    writeFiles(join(run.home, 'project'), { 'README.md': 'The project\n' });
    const handle = await run.startSolve({ problem: 'Write it.', config });
    await meanwhile(handle);
    const result = (await handle.result()) as SolveResult;
    return { home: run.home, result, events: await handle.query<RunEvent[]>('events') };
  }

  test('a subtask begins with what completed ones have left, and what a failed one has changed is dropped', async () => {
    const seen: string[] = [];
    const { home, result } = await solve(
      solveScript({
        plan: () => subtasks('a', { id: 'b', depends_on: ['a'] }, 'bad'),
        work: (request) => {
          if (request.id === 'a') return done(request) > 0 ? completed('A.') : write('a.md', 'A\n');
          if (request.id === 'bad') return done(request) > 0 ? failed('No way.') : write('bad.md', 'bad\n');
          if (done(request) === 0) return call('list_files', {});
          seen.push(...toolResults(request));
          return done(request) > 1 ? completed('B.') : write('b.md', 'B\n');
        },
        validate: ({ time }) => (time === 1 ? invalid('bad') : valid),
      }),
    );
    expect(seen[0]).toBe('README.md (12 bytes)\na.md (2 bytes)');
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({
      'README.md': 'The project\n',
      'a.md': 'A\n',
      'b.md': 'B\n',
    });
    expect(result.workspace).toMatchObject({ files: 3, added: ['a.md', 'b.md'], changed: [] });
  });

  test('parallel ones are put together by path; of two that change one file the last one counts, and it is told', async () => {
    const firstIsDone = Promise.withResolvers<void>();
    const { events, home, result } = await solve(
      solveScript({
        plan: () => subtasks('a', 'b'),
        work: async (request) => {
          const steps = [write('both.md', `${request.id}\n`), write(`${request.id}.md`, `${request.id}\n`)];
          const step = steps[done(request)];
          if (step !== undefined) return step;
          if (request.id === 'b') await firstIsDone.promise;
          return completed(`${request.id}.`);
        },
      }),
      async (handle) => {
        const isDone = async (): Promise<boolean> =>
          (await handle.query<RunEvent[]>('events')).some(({ type }) => type === 'subtask_completed');
        await expect.poll(isDone).toBe(true);
        firstIsDone.resolve();
      },
    );
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({
      'README.md': 'The project\n',
      'a.md': 'a\n',
      'b.md': 'b\n',
      'both.md': 'b\n',
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: 'b has replaced what another subtask had changed: both.md' }),
    );
  });
});

describe('a session keeps its files', () => {
  const agent = agentOf('openai', { simple: {} }, ['builtin.workspace']);
  const eachTurn: Script = (seen) =>
    seen.messages.at(-1)?.role === 'tool' ? { text: 'Written.' } : write(`note${toolResults(seen).length}.md`, 'x\n');

  test('from turn to turn, and when it continues as a new run', async () => {
    const run = running(eachTurn);
    const handle = await run.startSession({ config: agent });
    const first = await handle.describe();
    let last: TurnResult;
    let taken = 0;
    const turn = () =>
      handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Go on.'], updateId: `turn ${taken}` });
    do {
      taken += 1;
      last = await turn();
      expect(last.workspace).toMatchObject({ files: taken, count: 1 });
    } while ((await handle.describe()).runId === first.runId || taken < 2);
    // Whoever has missed the answer sends the turn again, to a run that knows nothing of the update.
    expect(await turn()).toEqual(last);
    const { workspace } = await handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Once more.'] });
    expect(workspace).toMatchObject({ files: taken + 1, count: 1 });
    await handle.signal('close');
    expect(((await handle.result()) as SessionResult).workspace).toEqual(workspace);
  });

  test('a turn that fails leaves them as they were', async () => {
    const run = running((seen) => {
      if (seen.prompt.includes('Break.') && seen.messages.at(-1)?.role === 'tool') return { status: 400 };
      return eachTurn(seen);
    });
    const handle = await run.startSession({ config: agent });
    await handle.executeUpdate('handleText', { args: ['One.'] });
    await expect(handle.executeUpdate('handleText', { args: ['Break.'] })).rejects.toThrow(/Update failed/);
    const third = await handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Three.'] });
    expect(third.workspace).toMatchObject({ files: 2, added: ['note1.md'] });
  });

  test('with a team, all go on with the files of the last answer', async () => {
    const script = teamScript({
      answer: (request) =>
        done(request) > 0 ? answer(`By ${request.agent}.`) : write(`${request.agent}-${turnOf(request)}.md`, 'x\n'),
    });
    const run = running(script);
    const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' }, { max_orchestration_restarts: 0 });
    const agents = config.agents.map((each) => ({ ...each, tool_packages: ['builtin.workspace'] }));
    const handle = await run.startSession({ config: { ...config, agents } });
    await handle.executeUpdate('handleText', { args: ['Turn 1.'] });
    const second = await handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Turn 2.'] });
    expect(Object.keys(await textsIn(run.home, second.workspace?.tree ?? null))).toEqual([
      'agent_a-1.md',
      'agent_a-2.md',
    ]);
  });
});

const turnOf = ({ prompt }: Seen): string => /.*Turn (\d)/s.exec(prompt)?.[1] ?? '';
