import { expect, test } from 'vitest';
import { running } from '../support/running.ts';

test('no time goes into call stacks of what waits, and a run that waits answers as ever', async () => {
  await using run = await running(() => ({ text: 'Yes.' }));
  const handle = await run.startSession({});
  expect(await handle.query('state')).toMatchObject({ workflow: 'session' });
  expect(await handle.query('__stack_trace')).toBe('');
  await handle.signal('close');
  expect(await handle.result()).toMatchObject({ outcome: 'answered' });
});
