import { describe, expect, test } from 'vitest';
import type { Reply, ReplyCall } from '../../../../src/protocol/model-call.ts';
import { readReply, type Situation } from '../../../../src/workflows/orchestration/rules/action.ts';

const reply = (...calls: ReplyCall[]): Reply => ({ content: '', calls, finish: 'tool_calls' });
const answer = (content: string, id = 'c1'): ReplyCall => ({ id, name: 'new_answer', input: { content } });
const vote = (name: string, id = 'c1'): ReplyCall => ({ id, name: 'vote', input: { agent_id: name, reason: 'good' } });
const situation = (overrides: Partial<Situation> = {}): Situation => ({
  votingOpen: true,
  choices: ['agent1', 'agent3'],
  answersGiven: 1,
  answerLimit: 3,
  noveltyProblem: () => undefined,
  mayAsk: true,
  isTool: (name) => name === 'search',
  ...overrides,
});

describe('an agent’s reply', () => {
  test('an answer is an action, before and while voting', () => {
    const action = { kind: 'answer', callId: 'c1', content: 'forty-two' };
    expect(readReply(reply(answer('forty-two')), situation({ votingOpen: false })).action).toEqual(action);
    expect(readReply(reply(answer('forty-two')), situation()).action).toEqual(action);
  });

  test.each([
    ['a vote before voting opens', vote('agent1'), situation({ votingOpen: false }), { kind: 'voting_closed' }],
    [
      'a vote for an agent without an answer names the valid choices',
      vote('agent2'),
      situation(),
      { kind: 'no_answer', name: 'agent2', choices: ['agent1', 'agent3'] },
    ],
    [
      'an answer beyond max_new_answers_per_agent',
      answer('x'),
      situation({ answersGiven: 3 }),
      { kind: 'no_answers_left', limit: 3 },
    ],
    [
      'an answer that says nothing',
      answer(' \n'),
      situation(),
      { kind: 'invalid', error: 'content: it must not be empty' },
    ],
    [
      'an answer that is not new',
      answer('x'),
      situation({ noveltyProblem: () => ({ kind: 'duplicate', of: 'agent1' }) }),
      { kind: 'duplicate', of: 'agent1' },
    ],
    [
      'a call that does not fit its schema',
      { id: 'c1', name: 'vote', error: 'agent_id: required' },
      situation(),
      { kind: 'invalid', error: 'agent_id: required' },
    ],
  ])('refused: %s', (_, call, at, refusal) => {
    expect(readReply(reply(call), at)).toEqual({
      action: undefined,
      asks: [],
      uses: [],
      results: [{ callId: 'c1', refusal }],
    });
  });

  test('the first usable call counts, the others are answered too, in order', () => {
    const { action, results } = readReply(
      reply(vote('agent2', 'c1'), vote('agent3', 'c2'), answer('late', 'c3')),
      situation(),
    );
    expect(action).toMatchObject({ kind: 'vote', name: 'agent3', callId: 'c2' });
    expect(results.map(({ callId, refusal }) => [callId, refusal?.kind])).toEqual([
      ['c1', 'no_answer'],
      ['c2', undefined],
      ['c3', 'second_action'],
    ]);
  });

  const ask = (question: string, id = 'c1'): ReplyCall => ({ id, name: 'ask_others', input: { question } });

  test('a reply that asks does nothing else: what it does beside asking was written without the responses', () => {
    expect(readReply(reply(answer('early', 'c1'), ask('Why?', 'c2'), ask('How?', 'c3')), situation())).toEqual({
      action: undefined,
      asks: [
        { callId: 'c2', question: 'Why?' },
        { callId: 'c3', question: 'How?' },
      ],
      uses: [],
      results: [{ callId: 'c1', refusal: { kind: 'results_first' } }],
    });
  });

  test('a reply that uses tools does nothing else, and calls with bad arguments are among its uses', () => {
    const search: ReplyCall = { id: 'c1', name: 'search', input: { query: 'boats' } };
    const bad: ReplyCall = { id: 'c2', name: 'search', error: 'query: required' };
    expect(readReply(reply(search, bad, answer('early', 'c3')), situation())).toEqual({
      action: undefined,
      asks: [],
      uses: [search, bad],
      results: [{ callId: 'c3', refusal: { kind: 'results_first' } }],
    });
  });

  test('an agent that was not given ask_others cannot ask', () => {
    const call: ReplyCall = { id: 'c1', name: 'ask_others', error: 'No such tool available: ask_others' };
    expect(readReply(reply(call), situation({ mayAsk: false }))).toEqual({
      action: undefined,
      asks: [],
      uses: [],
      results: [{ callId: 'c1', refusal: { kind: 'invalid', error: 'No such tool available: ask_others' } }],
    });
  });

  test('respond_to_broadcast does nothing: responses are automatic', () => {
    const call: ReplyCall = { id: 'c1', name: 'respond_to_broadcast', input: { answer: 'Yes' } };
    expect(readReply(reply(call), situation()).results).toEqual([
      { callId: 'c1', refusal: { kind: 'responses_are_automatic' } },
    ]);
  });

  test('a reply without calls holds no action and no results', () => {
    expect(readReply(reply(), situation())).toEqual({ action: undefined, asks: [], uses: [], results: [] });
  });
});
