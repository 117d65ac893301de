import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect, newRunId, type Reprise } from '../../src/client.ts';
import { Home } from '../support/cli.ts';

let home: Home;
let reprise: Reprise;
const started: string[] = [];

beforeAll(async () => {
  const { address } = inject('temporal');
  home = await Home.make({ TEMPORAL_ADDRESS: address });
  // Nobody works there: what is sent stays to be read.
  reprise = await connect({ address, taskQueue: 'no-worker-for-decide' });
});
afterAll(async () => {
  for (const id of started) await reprise.client.workflow.getHandle(id).terminate();
  await reprise.close();
  await home.remove();
});

async function startOpen(type: 'research' | 'orchestration' | 'planAndExecute' | 'session'): Promise<string> {
  const id = newRunId(`decide-${type}`);
  if (type === 'research') await reprise.startResearch({ idea: 'Momentum.' }, { id });
  else if (type === 'orchestration') await reprise.startOrchestration({ task: 'Do it.' }, { id });
  else if (type === 'planAndExecute') await reprise.startSolve({ problem: 'Solve it.' }, { id });
  else await reprise.startSession({}, { id });
  started.push(id);
  return id;
}

/** Name and payload of the signals that a run has got. */
async function signalsOf(id: string) {
  const { events } = await reprise.client.workflow.getHandle(id).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
    const [payload] = signal?.input?.payloads ?? [];
    return payload ? [{ name: signal?.signalName, payload: defaultPayloadConverter.fromPayload(payload) }] : [];
  });
}

describe('decide', () => {
  test.for([
    [['--accept'], { action: 'accept' }],
    [['--stop', '--note', 'No data.'], { action: 'stop', note: 'No data.' }],
  ] as const)('%s reaches the research, and the way to see what comes of it is said', async ([words, payload]) => {
    const id = await startOpen('research');
    const { status, stdout, stderr } = await home.run(['decide', id, ...words]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain(`reprise watch ${id}`);
    expect(await signalsOf(id)).toEqual([{ name: 'decide', payload }]);
  });

  test('of a run that is unknown or has ended: status 1', async () => {
    const unknown = await home.run(['decide', 'nobody', '--accept']);
    expect(unknown).toMatchObject({ status: 1, stderr: 'There is no run of the id nobody\n' });
    const { id } = await reprise.startResearch({ idea: 'Momentum.' });
    await reprise.client.workflow.getHandle(id).terminate();
    const ended = await home.run(['decide', id, '--stop']);
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain(`The run ${id} has ended (terminated)`);
  });

  test.for(['orchestration', 'planAndExecute', 'session'] as const)(
    'of a run of the type %s: status 2',
    async (type) => {
      const id = await startOpen(type);
      const { status, stderr } = await home.run(['decide', id, '--accept']);
      expect(status).toBe(2);
      expect(stderr).toContain(`The run ${id} is no research: its type is ${type}`);
      expect(await signalsOf(id)).toEqual([]);
    },
  );
});

describe('restart', () => {
  const words = ['--reason', 'Done before.', '--instructions', 'Look elsewhere.'];

  test('of a research run reaches it', async () => {
    const id = await startOpen('research');
    const { status, stderr } = await home.run(['restart', id, ...words]);
    expect(status).toBe(0);
    expect(stderr).toContain(`reprise watch ${id}`);
    expect(await signalsOf(id)).toEqual([
      { name: 'requestRestart', payload: { reason: 'Done before.', instructions: 'Look elsewhere.' } },
    ]);
  });

  test.for(['session', 'planAndExecute'] as const)(
    'of a run of the type %s, which has nothing to restart: status 2',
    async (type) => {
      const id = await startOpen(type);
      const { status, stderr } = await home.run(['restart', id, ...words]);
      expect(status).toBe(2);
      expect(stderr).toContain(`The run ${id} has nothing to restart: its type is ${type}`);
      expect(await signalsOf(id)).toEqual([]);
    },
  );
});
