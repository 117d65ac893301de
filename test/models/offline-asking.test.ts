import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { BroadcastResult } from '../../src/protocol/questions.ts';
import type { Content, Message } from '../../src/protocol/message.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { joinContent } from '../../src/workflows/agent/content.ts';
import { taskMessage, votingMessage } from '../../src/workflows/orchestration/prompts.ts';
import {
  plainConversation,
  shadowNotice,
  shadowQuestion,
  type ResponseDepth,
} from '../../src/workflows/ask-others/prompts.ts';
import { coordinationTools } from '../../src/workflows/orchestration/prompts.ts';

const library = fileURLToPath(new URL('../fixtures/library', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'reprise-empty-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const textOf = (content: Content): string =>
  joinContent([content])
    .map((text) => (typeof text === 'string' ? text : ''))
    .join('');
const user = (content: Content): Message => ({ role: 'user', content: textOf(content) });
const tools = coordinationTools(['agent1', 'agent2'], 'agents');

/** An agent's conversation: each step is one reply of the offline model, told by its call. */
class Conversation {
  readonly messages: Message[];
  readonly #folder: string;

  constructor(persona: string, task: string, folder = library) {
    this.messages = [{ role: 'system', content: persona }, user(taskMessage(task, undefined))];
    this.#folder = folder;
  }

  async step(offered = tools): Promise<{ name: string | undefined; text: string }> {
    const { message } = await offlineModel({ type: 'offline', folder: this.#folder }).complete({
      messages: this.messages,
      tools: offered,
      signal: new AbortController().signal,
      onDelta() {},
    });
    this.messages.push(message);
    const [call] = message.toolCalls ?? [];
    const input = JSON.parse(call?.arguments ?? '{}') as { question?: string; content?: string };
    return { name: call?.name, text: input.question ?? input.content ?? message.content };
  }

  /** Answers the last call with a result of `ask_others`, or with a refusal in words. */
  tell(result: Partial<BroadcastResult> | string): void {
    const last = this.messages.at(-1);
    const callId = last?.role === 'assistant' ? (last.toolCalls?.[0]?.id ?? '') : '';
    const full = {
      status: 'complete',
      request_id: 'q1',
      responses: [],
      ...(typeof result === 'object' && result),
    };
    this.messages.push({
      role: 'tool',
      callId,
      content: typeof result === 'string' ? result : JSON.stringify(full),
    });
  }
}

const response = (responder_id: string, content: string) => ({
  responder_id,
  content,
  is_human: responder_id === 'human',
});

const oven = 'How hot must the oven be for the loaf?';
const capital = 'When is the fire alarm tested, and what is the capital of France?';

describe('a persona that asks first', () => {
  const question = 'Which "mode" is it, light or dark? Any objections?';
  const persona = `You are careful.\nAsk the others first: "${question}"\nThen answer.\n\nYou are one of several agents.`;

  test('puts exactly that question once, before anything else, and answers with what it was told', async () => {
    const agent = new Conversation(persona, oven);
    expect(await agent.step()).toEqual({ name: 'ask_others', text: question });
    agent.tell({ responses: [response('agent_b', 'Dark mode it is. (style.md:3)\nNo objections.')] });
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/250 °C.*\(bread\.md:9\)$/),
      `On "${question}": Dark mode it is. (agent_b, style.md:3)`,
      'No objections. (agent_b)',
    ]);
  });

  test('asks a person in the same way', async () => {
    const agent = new Conversation('Ask a person first: "Which font?"', oven);
    expect(await agent.step()).toEqual({ name: 'ask_others', text: 'Which font?' });
    agent.tell({ responses: [response('human', 'Serif, please.')] });
    expect((await agent.step()).text).toContain('On "Which font?": Serif, please. (a person)');
  });

  test('answers without asking where asking is not offered', async () => {
    expect((await new Conversation(persona, oven).step(coordinationTools(['agent1']))).name).toBe(
      'new_answer',
    );
  });

  test.each<[string, Partial<BroadcastResult> | string]>([
    ['a timeout', { status: 'timeout', no_response: ['agent_b'] }],
    ['a skip', { status: 'skipped', no_response: ['human'] }],
    ['an error', { status: 'error', error: 'There is no other agent to ask.' }],
    ['a refusal in words', 'Error: not taken'],
  ])('goes on after %s, and says that it got no answer', async (_, result) => {
    const agent = new Conversation(persona, oven);
    await agent.step();
    agent.tell(result);
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text).toContain('those asked had no answer.');
  });
});

describe('an agent that finds nothing on a part of its task', () => {
  test('asks about that part once, and answers it with what others say', async () => {
    const agent = new Conversation('You are thorough.', capital);
    expect(await agent.step()).toEqual({ name: 'ask_others', text: 'What is the capital of France?' });
    agent.tell({ responses: [response('agent_b', 'Paris (geography.md:1)')] });
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text).toMatch(/^The fire alarm is tested on the first Monday/);
    expect(text).toContain('On "what is the capital of France": Paris (agent_b, geography.md:1)');
    expect(text).not.toContain('nothing was found');
  });

  test('says so where the others found nothing either', async () => {
    const agent = new Conversation('You are thorough.', capital);
    await agent.step();
    agent.tell({ responses: [response('agent_b', 'On that nothing was found in the folder "b".')] });
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text).toContain('On "what is the capital of France" nothing was found in the folder "library".');
    expect(text).toContain('On "what is the capital of France" those asked had no answer.');
  });

  test('asks about each such part, one after the other', async () => {
    const agent = new Conversation(
      '',
      'Who painted the Mona Lisa, and what is the capital of France?',
      empty,
    );
    expect((await agent.step()).text).toBe('Who painted the Mona Lisa?');
    agent.tell({ responses: [response('agent_b', 'Leonardo (art.md:1)')] });
    expect((await agent.step()).text).toBe('What is the capital of France?');
  });

  test.each([
    ['Be brief.', 'Who painted the Mona Lisa?', 'Who painted the Mona Lisa?'],
    ['', 'Is the Mona Lisa painted on wood?', 'Is the Mona Lisa painted on wood?'],
    ['', 'Describe the Mona Lisa.', 'What is known of this: Describe the Mona Lisa?'],
  ])('with the persona "%s" and the task "%s" it asks "%s"', async (persona, task, question) => {
    expect((await new Conversation(persona, task, empty).step()).text).toBe(question);
  });

  test('asks no more where there is nobody to ask', async () => {
    const agent = new Conversation(
      '',
      'Who painted the Mona Lisa, and what is the capital of France?',
      empty,
    );
    await agent.step();
    agent.tell({ status: 'error', error: 'There is no other agent to ask.' });
    expect((await agent.step()).name).toBe('new_answer');
  });

  test('does not ask when all was found', async () => {
    expect((await new Conversation('You are thorough.', oven).step()).name).toBe('new_answer');
  });
});

describe('what a person has answered before', () => {
  const ask = 'Ask a person first: "What database should we use?"';
  const deferred = (question: string, answer: string): Partial<BroadcastResult> => ({
    status: 'deferred',
    human_qa_history: [{ question, answer }],
  });

  test('is used where it covers the question, which is then not asked again', async () => {
    const agent = new Conversation(ask, oven);
    await agent.step();
    agent.tell(deferred('Which database should the shop use?', 'PostgreSQL.'));
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text).toContain('On "What database should we use?": PostgreSQL. (a person)');
  });

  test('is asked for once more where it does not', async () => {
    const agent = new Conversation(ask, oven);
    await agent.step();
    agent.tell(deferred('What color theme?', 'Dark mode'));
    expect(await agent.step()).toEqual({ name: 'ask_others', text: 'What database should we use?' });
    agent.tell(deferred('What color theme?', 'Dark mode'));
    const { name, text } = await agent.step();
    expect(name).toBe('new_answer');
    expect(text).not.toContain('Dark mode');
  });
});

describe('as a shadow', () => {
  const respond = async (
    question: string,
    messages: Message[],
    folder = library,
    depth: ResponseDepth = 'medium',
  ) => {
    const shadow = new Conversation('You are thorough.', oven, folder);
    shadow.messages.push(...messages, user(shadowQuestion('agent_a', question, depth)));
    return (await shadow.step([])).text;
  };

  test('it answers with sentences of its folder, and their places', async () => {
    const text = await respond('When is the fire alarm tested, and who discovered Uranus?', []);
    expect(text).toMatch(/first Monday of each month at noon\. \(handbook\.txt:7\)/);
    expect(text).toMatch(/William Herschel \(planets\.csv:4\)/);
    expect(text).not.toContain('Offline model');
  });

  test('a question that is told in several sentences is searched for as a whole', async () => {
    const text = await respond('I plan to be at home on the common office day. Any objections?', []);
    expect(text).toMatch(/Wednesday is the common office day.*\(handbook\.txt:1\)/);
  });

  test('it knows what its parent was told, and the answers that its parent has seen', async () => {
    const parent = new Conversation('Ask the others first: "Which paint is it?"', oven);
    await parent.step();
    parent.tell({ responses: [response('agent_c', 'The paint is cobalt blue.')] });
    await parent.step();
    const answers = [{ name: 'agent2', content: 'The hinge is made of brass.', yours: false }];
    const conversation = plainConversation([...parent.messages, user(votingMessage(answers, true))]);
    expect(await respond('Which paint?', conversation)).toBe('The paint is cobalt blue. (agent_c)');
    expect(await respond('What is the hinge made of?', conversation)).toBe(
      'The hinge is made of brass. (agent2)',
    );
  });

  test('it keeps to a few sentences, and to one where the response is to be brief', async () => {
    const question = `${oven} When is the fire alarm tested? What did Jonas give Marta? Who discovered Neptune?`;
    expect((await respond(question, [])).split('\n')).toHaveLength(3);
    expect((await respond(question, [], library, 'low')).split('\n')).toHaveLength(1);
  });

  test('it says honestly when nothing fits', async () => {
    expect(await respond('What is the capital of France?', [])).toBe(
      'On that nothing was found in the folder "library".',
    );
    expect(await respond(oven, [], empty)).toMatch(/^On that nothing was found/);
  });
});

test('what an agent is told for its awareness changes nothing of what it does', async () => {
  const told = user(shadowNotice('agent_a', '## Task\n\nWhat?\n<answer agent="agent9">\nX\n</answer>', 'Y'));
  const agent = new Conversation('You are thorough.', oven);
  const undisturbed = await new Conversation('You are thorough.', oven).step();
  agent.messages.push(told);
  expect(await agent.step()).toEqual(undisturbed);
});
