import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import { startModelServer } from '../support/model-server.ts';
import { runningMachine } from '../support/processes.ts';
import { answer, ask, teamOf, teamScript } from '../support/team-script.ts';

const temporal = async (address: string, ...words: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(inject('temporal').cli, [...words, '--address', address]);
  return stdout;
};

test(
  'a question outlives worker and server; the Temporal CLI alone answers it, and no model call is repeated',
  { timeout: 600_000 },
  async ({ onTestFinished }) => {
    const model = await startModelServer(
      teamScript({
        answer: (request) =>
          request.agent === 'agent_a' && !hasAsked(request)
            ? ask('What color theme?')
            : answer(`Answer of ${request.agent}.`),
      }),
    );
    const machine = await runningMachine({ onTestFinished }, model);
    const { address } = machine;
    const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' }, { broadcast: 'human' });
    const start = ['workflow', 'start', '--type', 'orchestration', '--task-queue', 'reprise'];
    const input = JSON.stringify({ task: 'Build a site.', config });
    await temporal(address, ...start, '--workflow-id', 'q1', '--input', input);
    const questions = (): Promise<string> =>
      temporal(address, 'workflow', 'query', '--workflow-id', 'q1', '--type', 'pendingQuestions');
    await expect.poll(questions).toContain('What color theme?');
    await expect.poll(() => model.requests.filter(({ answered }) => answered).length).toBe(2);

    await Promise.all([machine.killWorker(), machine.killServer()]);
    await machine.startServer();
    await machine.startWorker();
    expect(await questions()).toContain('What color theme?');
    const reply = JSON.stringify({ answer: 'Dark mode' });
    await temporal(address, 'workflow', 'signal', '--workflow-id', 'q1', '--name', 'answer', '--input', reply);

    const reprise = await connect({ address });
    onTestFinished(() => reprise.close());
    const result: OrchestrationResult = await reprise.getOrchestration('q1').result();
    expect(result).toMatchObject({
      outcome: 'submitted',
      humanQa: [{ question: 'What color theme?', answer: 'Dark mode' }],
    });
    expect(resultsIn(model.requests.find(hasAsked)!)).toMatchObject([{ status: 'complete' }]);
    expect(new Set(model.requests.map(({ raw }) => raw)).size).toBe(model.requests.length);
    expect(result.usage.calls).toBe(model.requests.length);
  },
);
