import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { sharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const fiveKilobytes = (index: number): string => `Version ${index}. ${'Lorem ipsum dolor sit amet. '.repeat(182)}`;

// The history grows the same through both, and each is to repeat what it has sent: a few calls show that.
test.each([
  ['openai', 100],
  ['claude', 25],
])('a conversation through %s of %i calls at 5 KB', async (type, calls) => {
  const run = running(
    teamScript({
      answer: ({ index }) => answer(fiveKilobytes(index)),
      vote: ({ index }) => (index < calls - 1 ? answer(fiveKilobytes(index)) : vote('agent1')),
    }),
  );
  const config = teamOf(['solo'], { type }, { max_new_answers_per_agent: calls, max_orchestration_restarts: 0 });
  const handle = await run.start({ task: 'T', config });
  await handle.result();

  // Done when: every call's messages begin with those of the call before, byte for byte.
  const conversation = run.model.requests.slice(0, calls).map(({ raw }) => messagesText(raw));
  expect(conversation).toHaveLength(calls);
  for (const [index, messages] of conversation.entries()) {
    if (index > 0) expect(messages.startsWith(conversation[index - 1] ?? '?')).toBe(true);
  }

  const history = await handle.fetchHistory();
  const bytes = proto.temporal.api.history.v1.History.encode(history).finish().length;
  const content = conversation.length * fiveKilobytes(1).length;
  expect((bytes - content) / calls).toBeLessThan(3000);
});

/** The messages of a request as they stand in its JSON, without the closing bracket. */
function messagesText(raw: string): string {
  const { messages, input } = JSON.parse(raw) as { messages?: unknown; input?: unknown };
  const text = JSON.stringify(messages ?? input);
  expect(raw).toContain(text);
  return text.slice(0, -1);
}
