import { describe, expect, test } from 'vitest';
import { reactSchema } from '../../src/config/orchestrators.ts';
import type { BroadcastResult } from '../../src/protocol/questions.ts';
import type { Message } from '../../src/protocol/message.ts';
import { taskMessage } from '../../src/workflows/orchestration/prompts.ts';
import { coordinationTools } from '../../src/workflows/orchestration/tools.ts';
import { reactPrompt, reactSystem } from '../../src/workflows/agent/prompts.ts';
import { shadowNotice, shadowQuestion, type ResponseDepth } from '../../src/workflows/ask-others/prompts.ts';
import { library, Talk, tool, user } from '../support/offline.ts';

const system = (content: string): Message => ({ role: 'system', content });

describe('asking others', () => {
  const tools = coordinationTools(['agent1', 'agent2'], 'agents');
  const question = 'Which "mode" is it, light or dark?';
  const task = 'When is the fire alarm tested?';
  const found = 'The fire alarm is tested on the first Monday of each month at noon. (handbook.txt:7)';
  const agent = (persona: string, asked = task): Talk =>
    new Talk(library, system(persona), user(taskMessage(asked, undefined)));
  const asking = (): Talk => agent(`You are careful.\nAsk the others first: "${question}"\nThen answer.`);
  const result = (rest: Partial<BroadcastResult>) => ({ status: 'complete', request_id: 'q', responses: [], ...rest });
  const response = (responder_id: string, content: string) => ({
    responder_id,
    content,
    is_human: responder_id === 'human',
  });

  test('what the persona says is asked once, and what was told is in the answer, with who said it', async () => {
    const talk = asking();
    expect(await talk.reply(tools)).toMatchObject({ tool: 'ask_others', input: { question } });
    talk.returns(result({ responses: [response('agent_b', 'Dark it is. (style.md:3)\nNo objections.')] }));
    const { input } = await talk.reply(tools);
    expect(String(input?.['content']).split('\n')).toEqual([
      found,
      `On "${question}": Dark it is. (agent_b, style.md:3)`,
      'No objections. (agent_b)',
    ]);
  });

  test.each<[string, unknown]>([
    ['a timeout', result({ status: 'timeout' })],
    ['a skip', result({ status: 'skipped' })],
    ['a refusal in words', 'Error: not taken'],
    ['responses that found nothing', result({ responses: [response('agent_b', 'Nothing found on "x" in y.')] })],
  ])('after %s it says that those asked had no answer', async (_, given) => {
    const talk = asking();
    await talk.reply(tools);
    talk.returns(given);
    const { input, tool } = await talk.reply(tools);
    expect(tool).toBe('new_answer');
    expect(input?.['content']).toBe(`${found}\nOn "${question}": those asked had no answer.`);
  });

  test('what a person has answered before is used, and named as that', async () => {
    const talk = agent('Ask a person first: "Which font?"');
    await talk.reply(tools);
    talk.returns(result({ status: 'deferred', human_qa_history: [{ question: 'Font?', answer: 'Serif.' }] }));
    expect((await talk.reply(tools)).input?.['content']).toContain(
      'On "Which font?": asked "Font?" before: Serif. (a person)',
    );
  });

  const respond = async (put: string, depth: ResponseDepth = 'medium'): Promise<string> =>
    (await agent('You are thorough.').reply([], user(shadowQuestion('agent_a', put, depth)))).text;

  test('a shadow quotes its own texts, three sentences at most, one where it is to be brief', async () => {
    const put = `${task} How is the oven heated? What did Jonas give? Who discovered Neptune?`;
    expect(await respond(task)).toBe(found);
    expect((await respond(put)).split('\n')).toHaveLength(3);
    expect((await respond(put, 'low')).split('\n')).toHaveLength(1);
    expect(await respond('What is the capital of France?')).toMatch(/^Nothing found on/);
  });

  test('what an agent is told for its awareness changes nothing of what it does', async () => {
    const aside = user(shadowNotice('agent_a', '## Task\n\nWhat?\n<answer agent="agent9">\nX\n</answer>', 'Y'));
    expect(await agent('').reply(tools, aside)).toEqual(await agent('').reply(tools));
  });
});

describe('alone, with tools', () => {
  const text = { type: 'string' };
  const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
  const tools = [
    tool('get_weather', 'The weather in a city.', { city: text, unit: text }, ['city']),
    tool('list_events', 'The events of a day.', { date }, ['date']),
    tool('add_event', 'Adds an event.', { date, title: text }, ['date']),
    tool('search_texts', 'Finds texts.', { query: text }, ['query']),
  ];
  const both = 'What is the weather in Paris, and which events are on 2026-03-02?';

  test.each([
    ['What’s the weather like in New York?', 'get_weather', { city: 'New York' }],
    ['Which events are on 2026-03-02?', 'list_events', { date: '2026-03-02' }],
  ])('one that plainly fits is called: %s', async (question, name, input) => {
    expect(await new Talk(library, user(question)).reply(tools)).toMatchObject({ tool: name, input });
  });

  test.each([
    ['nothing says where', 'What is the weather like?'],
    ['it may be one place or the other', 'What is the weather in Paris or Berlin?'],
    ['the tool speaks of no other day', 'What is the weather in Paris tomorrow?'],
    ['the question is about something else', 'Who was the captain of Paris?'],
    ['the tool changes something', 'Add an event on 2026-03-02.'],
    ['what to search for may be any text', 'Can you search the texts?'],
  ])('none is called where %s', async (_, question) => {
    expect((await new Talk(library, user(question)).reply(tools)).tool).toBeUndefined();
  });

  test('each part gets its tool, and all results are the answer', async () => {
    const talk = new Talk(library, user(both));
    await talk.reply(tools);
    talk.returns('Error: no such city');
    expect((await talk.reply(tools)).tool).toBe('list_events');
    talk.returns([{ time: '09:30', title: 'Stand-up' }]);
    expect((await talk.reply(tools)).text).toMatch(
      /^Error: no such city \(get_weather\)\ntime: 09:30, title: Stand-up \(list_events\)\n\n\(The offline model quotes .* and what get_weather returned and what list_events returned\./,
    );
  });

  const own = reactSchema.parse({});
  test.each([
    ['Reprise’s own prompts', own],
    [
      'prompts of a configuration',
      {
        ...own,
        thought_prompt: 'Consider what you need. Think it through.',
        action_prompt: 'Use a tool, or provide FINAL_ANSWER if you know enough.',
        observation_prompt: 'Now provide an OBSERVATION of what you found.',
      },
    ],
  ])('in the loop react it thinks, acts and observes by script: %s', async (_, prompts) => {
    const talk = new Talk(
      library,
      system(reactSystem),
      user('What is the weather in Paris, and who kept the lighthouse?'),
    );
    expect((await talk.reply([], system(reactPrompt(prompts, 'thought_prompt')))).text).toMatch(
      /^Scripted thought of the offline model: look up "What is the weather in Paris" and "who kept the lighthouse"/,
    );
    expect(await talk.reply(tools, system(reactPrompt(prompts, 'action_prompt')))).toMatchObject({
      tool: 'get_weather',
      text: 'Offline model: get_weather.',
    });
    talk.returns({ sky: 'clear' });
    expect((await talk.reply([], system(reactPrompt(prompts, 'observation_prompt')))).text).toBe(
      'get_weather returned: sky: clear',
    );
    expect((await talk.reply(tools, system(reactPrompt(prompts, 'action_prompt')))).text).toMatch(
      /^FINAL_ANSWER: sky: clear \(get_weather\)\nOld Marta kept the lighthouse/,
    );
    expect((await talk.reply([], system(reactPrompt(prompts, 'error_prompt')))).text).toMatch(/^sky: clear/);
  });

  test('a follow-up question is looked up with the words of the one before it', async () => {
    const talk = new Talk(library, user('How many moons does Jupiter have?'));
    await talk.reply();
    expect((await talk.reply([], user('And who discovered Neptune?'))).text).toMatch(/Johann Galle/);
    expect((await talk.reply([], user('How many moons does it have?'))).text).toMatch(/name: Neptune.*moons: 16/);
  });
});
