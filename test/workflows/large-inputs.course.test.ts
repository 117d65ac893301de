import { WorkflowFailedError } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { sharedRunning } from '../support/running.ts';

const running = sharedRunning();

const turn = (characters: number) => ({ role: 'user', content: 'x'.repeat(characters) });

test('an input just under what the server takes is refused, and the run does not hang', async () => {
  const run = running(() => ({ text: 'Yes.' }));
  const session = await run.startSession({ text: 'Hi', history: [turn(1_990_000)] } as never);
  const failed = (await session.result().catch((error: unknown) => error)) as WorkflowFailedError;
  expect(failed.cause).toMatchObject({ type: 'InvalidInput', message: expect.stringMatching(/^the input has 1,990,/) });
  expect(run.model.requests).toHaveLength(0);
});

test('an input of nearly a million bytes runs', async () => {
  const run = running(() => ({ text: 'Yes.' }));
  const config = {
    modules: [
      { module: 'OpenAILLM', id: 'llm', config: { model: 'm' } },
      { module: 'SimpleToolOrchestrator', id: 'loop' },
    ],
    exchange: [
      { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
      { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
    ],
  };
  const session = await run.startSession({ config, text: 'Hi', history: [turn(900_000)] } as never);
  expect(await session.result()).toMatchObject({ answer: 'Yes.' });
});

test('the client sends no larger one', async () => {
  await using reprise = await connect({ address: inject('temporal').address });
  const refused = { name: 'InputTooLargeError', message: expect.stringMatching(/^the input has 1,2\d\d,\d+ bytes/) };
  await expect(reprise.startOrchestration({ task: '中'.repeat(400_000) })).rejects.toMatchObject(refused);
  await expect(reprise.getSession('long').send('中'.repeat(400_000))).rejects.toMatchObject(refused);
});
