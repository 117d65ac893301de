import { randomBytes } from 'node:crypto';

import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { running } from '../support/running.ts';
import { answer, teamScript } from '../support/team-script.ts';

const newKey = (): string => randomBytes(32).toString('base64');

test('a run is encrypted', async () => {
  const key = newKey();
  await using run = await running(teamScript({ answer: () => answer('CANARYanswer.') }), { REPRISE_ENCRYPTION_KEY: key });
  const reprise = await connect({ address: inject('temporal').address, taskQueue: run.taskQueue, encryptionKey: key });
  const handle = await reprise.startOrchestration({ task: 'CANARYtask' });
  const result = await handle.result();
  expect(result.answer).toBe('CANARYanswer.');
  const raw = JSON.stringify(await run.client.workflow.getHandle(handle.id).fetchHistory(), (_, v) => ArrayBuffer.isView(v) ? Buffer.from(v as Uint8Array).toString() : v);
  expect(raw).not.toContain('CANARY');
  console.log(raw.slice(0, 3000));
  const shown = await handle.show();
  expect(JSON.stringify(shown)).toContain('CANARYanswer');
  console.log((await reprise.list({limit: 3})).map(x => x.question));
  await reprise.close();
});
