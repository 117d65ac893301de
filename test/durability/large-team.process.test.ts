import { expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { repetitions } from '../support/kill-stage.ts';
import { startModelServer } from '../support/model-server.ts';
import { runningMachine } from '../support/processes.ts';
import { rowsIn } from '../support/rows.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const agents = Array.from({ length: 100 }, (_, index) => `a${index + 1}`);

test('kill -9 of the worker in the middle of the votes of a hundred agents: none is paid for twice', async ({
  onTestFinished,
}) => {
  const released = Promise.withResolvers<void>();
  let votes = 0;
  const script = teamScript({
    answer: ({ agent }) => answer(`The answer of ${agent}.`.padEnd(390, ' It is right.')),
    vote: async () => {
      if (++votes > 50) await released.promise;
      return vote('agent7', 'It is the best.');
    },
  });
  const model = await startModelServer(script);
  const machine = await runningMachine({ onTestFinished }, model);
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());
  const config = teamOf(agents, { type: 'openai' }, { max_orchestration_restarts: 0 });
  const run = await reprise.startOrchestration({ task: 'T', config });

  const paid = (): number => model.requests.filter(({ answered }) => answered).length;
  await expect.poll(() => [votes, paid() === rowsIn(machine.home, 'replies')]).toEqual([100, true]);
  await machine.killWorker();
  released.resolve();
  await machine.startWorker();
  expect(await run.result()).toMatchObject({ finalAgent: 'a7', outcome: 'submitted' });
  expect(repetitions(model)).toBe(0);
  expect(new Set(model.requests.map(({ raw }) => raw)).size).toBe(rowsIn(machine.home, 'replies'));
});
