import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { running } from '../support/running.ts';

const folder = fileURLToPath(new URL('../../examples/custom', import.meta.url));

test('the custom orchestrator drafts, criticises and revises, also with the offline model', async () => {
  await using run = await running(() => ({}), { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }, folder);
  const session = await run.startSession({ config: 'draft-criticise-revise', text: 'What does a restart keep?' });
  expect(await session.result()).toMatchObject({
    answer: expect.stringContaining('keeps the timeout flags') as string,
    messages: [expect.stringMatching(/^Draft:/), expect.stringMatching(/^Criticism:/), expect.any(String)],
    outcome: 'answered',
    usage: { calls: 3 },
  });
});
