import { expect, test } from 'vitest';
import { answer, ask, expire, newHumanInput, type Ask } from '../../../src/workflows/ask-others/human-input-queue.ts';

const room = 1000;
const form = (id: string): Ask => ({ id, conversation: 'agent', question: `What for ${id}?`, isForm: true });
const question = (id: string): Ask => ({ id, conversation: 'other', question: `What about ${id}?` });

test('what a tool asks for is put to the person whatever they have answered before', () => {
  const { events } = ask(newHumanInput([{ question: 'What for q1?', answer: 'Red' }]), form('q1'));
  expect(events).toEqual([{ kind: 'prompt', ask: form('q1') }]);
});

test('an answer that came before any question is not for a tool', () => {
  const early = answer(newHumanInput(), { answer: 'Dark mode' }, room).state;
  const asked = ask(early, form('q1'));
  expect(asked.events).toMatchObject([{ kind: 'prompt' }]);
  const answered = answer(asked.state, { answer: 'Red' }, room);
  expect(answered.events).toMatchObject([{ kind: 'end', end: { status: 'complete', answer: 'Red' } }]);
  expect(ask(answered.state, question('q2')).events).toMatchObject([{ kind: 'end', end: { answer: 'Dark mode' } }]);
});

test('its answer is not in the history, so that nobody is deferred with it', () => {
  const { state } = answer(ask(newHumanInput(), form('q1')).state, { answer: 'Red' }, room);
  expect(state.history).toEqual([]);
  expect(ask(state, question('q2')).events).toMatchObject([{ kind: 'prompt' }]);
});

test('a late answer to it is ignored, and a person who is silent is not asked by a tool either', () => {
  const { state } = expire(ask(newHumanInput(), form('q1')).state, 'q1');
  expect(ask(state, form('q2')).events).toMatchObject([{ kind: 'end', end: { status: 'timeout', silent: true } }]);
  const late = answer(state, { questionId: 'q1', answer: 'Red' }, room);
  expect(late.events).toEqual([{ kind: 'ignored', why: 'no question q1 waits for an answer' }]);
  expect(late.state.history).toEqual([]);
});

test('it waits its turn behind what agents ask', () => {
  const first = ask(newHumanInput(), question('q1'));
  const second = ask(first.state, form('q2'));
  expect(second.events).toEqual([]);
  expect(answer(second.state, { answer: 'Blue' }, room).events).toMatchObject([
    { kind: 'end', ask: { id: 'q1' } },
    { kind: 'prompt', ask: { id: 'q2' } },
  ]);
});
