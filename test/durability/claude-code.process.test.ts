import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { isAlive } from '../../src/util/processes.ts';
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
import { startModelServer, type Scripted } from '../support/model-server.ts';
import { Machine } from '../support/processes.ts';

/**
 * Kills a worker with two turns of Claude Code under way, one in the middle of a request and one in the middle of a
 * command, and starts another one without anything that the first has left in its temporary folder.
 */
test('a killed worker’s turns are resumed elsewhere: what was answered is not asked again, and no process goes on', async ({
  onTestFinished,
}) => {
  const modules = await claudeCodeModules();
  const held = Promise.withResolvers<void>();
  const never = new Promise<Scripted>(() => {});

  function writer({ done, place, prompt }: CodeRequest): Scripted | Promise<Scripted> {
    if (prompt.includes('this is a new one')) return own('new_answer', { content: 'Written.' });
    if (done === 0) return useTool('Write', { file_path: place('a.txt'), content: 'one' });
    if (done === 1) return useTool('Edit', { file_path: place('a.txt'), old_string: 'one', new_string: 'two' });
    held.resolve();
    return never;
  }
  function runner({ done, messages, place, prompt }: CodeRequest): Scripted {
    if (!prompt.includes('this is a new one')) {
      if (done === 0) return useTool('Write', { file_path: place('b.txt'), content: 'one' });
      return useTool('Bash', {
        command: `echo two >> b.txt; echo $CLAUDE_PID $$ > ${machine.home}/pid; sleep 600`,
        description: 'x',
      });
    }
    const interrupted = messages.findLast(({ role }) => role === 'tool')?.text ?? '';
    if (done === 0 && interrupted.includes('outcome is unknown')) {
      return useTool('Bash', { command: 'cat b.txt; echo three >> b.txt', description: 'x' });
    }
    return own('new_answer', { content: 'Run.' });
  }
  const model = await startModelServer(
    codeScript((request) => {
      if (request.asked === 'vote') return own('vote', { agent_id: 'agent1', reason: 'fine' });
      if (request.asked === 'present') return { text: 'Presented.' };
      return request.prompt.includes('I am writer.') ? writer(request) : runner(request);
    }),
  );
  const machine = new Machine({
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: model.anthropic,
    REPRISE_ALLOW_COMMANDS: 'local',
  });
  const temporary = join(machine.home, 'tmp');
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), model.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  installIn(machine.home, modules);
  machine.variables['TMPDIR'] = temporary;
  mkdirSync(temporary);
  await machine.startServer();
  await machine.startWorker();
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());

  const backend = {
    type: 'claude_code' as const,
    enable_mcp_command_line: true,
    command_line_execution_mode: 'local' as const,
  };
  const config = {
    agents: ['writer', 'runner'].map((id) => ({ id, system_message: `I am ${id}.`, backend })),
    orchestrator: { coordination: { max_orchestration_restarts: 0 } },
  };
  const run = await reprise.client.workflow.start('orchestration', {
    taskQueue: 'reprise',
    workflowId: 'killed',
    args: [{ task: 'Write and run.', config }],
  });
  await held.promise;
  const pidFile = join(machine.home, 'pid');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim()).toBeTruthy();
  await machine.killWorker();
  // Claude Code itself would wait for its worker for minutes, and so would its command.
  const pids = readFileSync(pidFile, 'utf8').trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
  await machine.startWorker();

  const result = (await run.result()) as OrchestrationResult;
  expect(result).toMatchObject({ answer: 'Presented.', outcome: 'submitted', warnings: [] });
  const answered = await modelResults(run);
  const treeOf = (id: string): string | null => answered.find(({ agent }) => agent === id)?.result.tree ?? null;
  expect(await filesIn(machine.home, treeOf('writer'))).toEqual({ 'a.txt': 'two' });
  // The files are as they were before the command that was under way.
  expect(await filesIn(machine.home, treeOf('runner'))).toEqual({ 'b.txt': 'onethree\n' });
  // Write, Edit, the one that was broken off, and the answer; Write, two commands, and the answer; a vote each; presenting.
  expect(model.requests.filter(({ aborted }) => aborted)).toHaveLength(1);
  expect(model.requests.filter((request) => request.answered)).toHaveLength(10);
  expect(result.usage).toMatchObject({ calls: 5, inputTokens: 10 * 10, outputTokens: 10 * 5 });
}, 600_000);
