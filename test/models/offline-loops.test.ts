import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message, ToolSpec } from '../../src/protocol/message.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { reactPrompts, reactSystem, toolsUnavailable } from '../../src/workflows/agent/prompts.ts';
import { askingTools } from '../../src/workflows/ask-others/prompts.ts';
import { reactSchema } from '../../src/config/orchestrators.ts';

const library = fileURLToPath(new URL('../fixtures/library', import.meta.url));

const tool = (name: string, description: string, properties: object, required: string[]): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties: properties as Record<string, unknown>, required },
});
const text = { type: 'string' };
const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const unit = { type: 'string', enum: ['celsius', 'fahrenheit'] };
const weather = tool('get_weather', 'The weather in a city.', { city: text, unit }, ['city']);
const events = tool('list_events', 'The events of a day.', { date }, ['date']);
const adding = tool('add_event', 'Adds an event.', { date, title: text }, ['date']);
const search = tool('search_texts', 'Finds texts.', { query: text }, ['query']);
const tools = [weather, events, adding, search];

/** A conversation with the offline model, to which a loop adds messages. */
class Talk {
  readonly messages: Message[] = [];

  constructor(system?: string) {
    if (system !== undefined) this.messages.push({ role: 'system', content: system });
  }

  async reply(role: 'user' | 'system', content: string, offered: ToolSpec[] = []): Promise<AssistantMessage> {
    this.messages.push({ role, content });
    return this.goOn(offered);
  }

  async goOn(offered: ToolSpec[] = []): Promise<AssistantMessage> {
    const { message } = await offlineModel({ type: 'offline', folder: library }).complete({
      messages: [...this.messages],
      tools: offered,
      signal: new AbortController().signal,
      onDelta() {},
    });
    this.messages.push(message);
    return message;
  }

  /** Answers the one call of the last reply. */
  returns(content: string): void {
    const last = this.messages.at(-1);
    const [call] = last?.role === 'assistant' ? (last.toolCalls ?? []) : [];
    if (call === undefined) throw new Error('no call');
    this.messages.push({ role: 'tool', callId: call.id, content });
  }
}

const callsOf = ({ toolCalls = [] }: AssistantMessage) =>
  toolCalls.map(({ name, arguments: input }) => [name, JSON.parse(input) as unknown]);

const own = reactPrompts(reactSchema.parse({}));
const xaibo = {
  thought_prompt: 'Consider what you need. What tools might help? Think it through.',
  action_prompt: 'Based on your thoughts, use a tool, or provide FINAL_ANSWER if you know enough.',
  observation_prompt: 'Now provide an OBSERVATION of what you found.',
};

describe.each([
  ['Reprise’s own prompts', own],
  ['prompts of a configuration', { ...own, ...xaibo }],
])('in the loop react, with %s', (_, prompts) => {
  const question = 'When is the fire alarm tested, and who kept the lighthouse?';

  test.each([
    ['tools that do not fit', tools],
    ['no tools', []],
  ])(
    'it thinks of the parts of the question, and its first action is the final answer: %s',
    async (__, offered) => {
      const talk = new Talk(reactSystem);
      talk.messages.push({ role: 'user', content: question });
      expect((await talk.reply('system', prompts.thought_prompt)).content).toBe(
        'I look up "When is the fire alarm tested" and "who kept the lighthouse": ' +
          'with a tool that fits, else in the folder "library".',
      );
      const { content } = await talk.reply('system', prompts.action_prompt, offered);
      expect(content).toMatch(/^FINAL_ANSWER: The fire alarm is tested on the first Monday/);
      expect(content).toMatch(/Old Marta kept the lighthouse.*\n\n\(Offline model: .*"library"\.\)$/);
    },
  );

  test('it uses the tool that fits, observes what that returned, and answers with it, the rest from its texts', async () => {
    const talk = new Talk();
    talk.messages.push({
      role: 'user',
      content: "What's the weather in Paris, and who kept the lighthouse?",
    });
    await talk.reply('system', prompts.thought_prompt);
    const action = await talk.reply('system', prompts.action_prompt, tools);
    expect(action.content).toBe('I use get_weather.');
    expect(callsOf(action)).toEqual([['get_weather', { city: 'Paris' }]]);
    talk.returns('{"sky":"clear","degrees":18}');
    expect((await talk.reply('system', prompts.observation_prompt)).content).toBe(
      'get_weather returned: sky: clear, degrees: 18\nTools have not told on "who kept the lighthouse".',
    );
    expect((await talk.reply('system', prompts.thought_prompt)).content).toMatch(
      /^I look up "who kept the lighthouse":/,
    );
    const { content, toolCalls } = await talk.reply('system', prompts.action_prompt, tools);
    expect(toolCalls).toBeUndefined();
    expect(content).toMatch(
      /^FINAL_ANSWER: sky: clear, degrees: 18 \(get_weather\)\nOld Marta kept .*\n\n.* the folder "library" and what get_weather returned\.\)$/,
    );
  });

  test('it says that a tool failed, and with what', async () => {
    const talk = new Talk();
    talk.messages.push({ role: 'user', content: 'What is the weather in Oz?' });
    await talk.reply('system', prompts.action_prompt, tools);
    talk.returns('Error: no such city');
    expect((await talk.reply('system', prompts.observation_prompt)).content).toBe(
      'get_weather failed: Error: no such city',
    );
    expect((await talk.reply('system', prompts.thought_prompt)).content).toMatch(/I answer\.$/);
    expect((await talk.reply('system', prompts.action_prompt, tools)).content).toMatch(
      /^FINAL_ANSWER: Error: no such city \(get_weather\)\n\n/,
    );
  });

  test('asked to recover or to sum up, it answers plainly', async () => {
    for (const prompt of [prompts.error_prompt, prompts.max_iterations_prompt]) {
      const talk = new Talk();
      talk.messages.push({ role: 'user', content: question });
      await talk.reply('system', prompts.thought_prompt);
      expect((await talk.reply('system', prompt)).content).toMatch(/^The fire alarm is tested/);
    }
  });

  test('what it thought and observed before is nothing that it answers from', async () => {
    const talk = new Talk();
    const turn = async (asked: string): Promise<string> => {
      talk.messages.push({ role: 'user', content: asked });
      await talk.reply('system', prompts.thought_prompt);
      return (await talk.reply('system', prompts.action_prompt)).content;
    };
    await turn('Which gardens does Ada own?');
    expect(await turn('Does Ada own gardens?')).toMatch(/^FINAL_ANSWER: On "Does Ada own gardens" nothing/);
    await turn('Ada owns the gardens by the river.');
    expect(await turn('Which gardens does Ada own?')).toMatch(/^FINAL_ANSWER: Ada owns the gardens by the/);
  });

  test('where it asks the person first, it observes that there is a response', async () => {
    const talk = new Talk('Ask a person first: "Which colour?"');
    talk.messages.push({ role: 'user', content: 'Paint the lighthouse.' });
    const action = await talk.reply('system', prompts.action_prompt, askingTools('human'));
    expect(callsOf(action)).toEqual([['ask_others', { question: 'Which colour?' }]]);
    const response = { responder_id: 'human', content: 'Blue.', is_human: true };
    talk.returns(JSON.stringify({ status: 'complete', responses: [response] }));
    expect((await talk.reply('system', prompts.observation_prompt)).content).toBe(
      'To "Which colour?" there is one response.',
    );
    const { content } = await talk.reply('system', prompts.action_prompt, askingTools('human'));
    expect(content).toMatch(/^FINAL_ANSWER: [^]*On "Which colour\?": Blue\. \(a person\)/);
  });
});

describe('in the loop simple_tool', () => {
  const ask = async (question: string, offered: ToolSpec[] = tools) =>
    callsOf(await new Talk('You are helpful.').reply('user', question, offered));

  test.each<[string, string, object]>([
    ['What’s the weather like in Paris right now?', 'get_weather', { city: 'Paris' }],
    [
      'What is the weather in New York in Fahrenheit?',
      'get_weather',
      { city: 'New York', unit: 'fahrenheit' },
    ],
    ['Which events are on 2026-03-02?', 'list_events', { date: '2026-03-02' }],
  ])('a tool that fits is used: %s', async (question, name, input) => {
    expect(await ask(question)).toEqual([[name, input]]);
  });

  test.each([
    ['nothing says where', 'What is the weather like?'],
    ['it may be one place or the other', 'What is the weather in Paris or Berlin?'],
    ['the tool speaks of no other day', 'What is the weather in Paris tomorrow?'],
    ['nothing says which day', 'Which events are there?'],
    ['the question is about something else', 'Who was the captain of Paris?'],
    ['a tool changes something', 'Add an event on 2026-03-02.'],
    ['what to search for is any text', 'Can you search the texts?'],
  ])('none is used where %s', async (_, question) => {
    expect(await ask(question)).toEqual([]);
  });

  test('with tools that it cannot use it answers from its texts, as without any', async () => {
    const question = 'When is the fire alarm tested?';
    const { content } = await new Talk().reply('user', question, tools);
    expect(content).toMatch(/^The fire alarm is tested on the first Monday/);
    expect(content).toBe((await new Talk().reply('user', question)).content);
  });

  test('each part of a question gets its tool, one after the other, then all results are the answer', async () => {
    const talk = new Talk();
    await talk.reply('user', 'What is the weather in Paris, and which events are on 2026-03-02?', tools);
    talk.returns('18 degrees');
    expect(callsOf(await talk.goOn(tools))).toEqual([['list_events', { date: '2026-03-02' }]]);
    talk.returns('[{"time":"09:30","title":"Stand-up"},{"time":"14:00","title":"Review"}]');
    expect((await talk.goOn(tools)).content).toBe(
      [
        '18 degrees (get_weather)',
        'time: 09:30, title: Stand-up (list_events)',
        'time: 14:00, title: Review (list_events)',
        '',
        '(Offline model: sentences chosen from what get_weather returned and what list_events returned.)',
      ].join('\n'),
    );
  });

  test('a last thought without tools answers with what there is', async () => {
    const talk = new Talk();
    await talk.reply('user', 'What is the weather in Paris, and which events are on 2026-03-02?', tools);
    talk.returns('[]');
    expect((await talk.reply('system', toolsUnavailable)).content).toMatch(
      /^Nothing\. \(get_weather\)\nOn "which events are on 2026-03-02" nothing was found/,
    );
  });
});

describe('over the turns of a session', () => {
  test('a follow-up question is about what was asked before it', async () => {
    const talk = new Talk();
    expect((await talk.reply('user', 'How large is the diameter of Jupiter?')).content).toMatch(/142984/);
    expect((await talk.reply('user', 'And how many moons does it have?')).content).toMatch(/moons: 95/);
    expect((await talk.reply('user', 'Who discovered Neptune?')).content).toMatch(/Johann Galle/);
    expect((await talk.reply('user', 'How many moons does it have?')).content).toMatch(/moons: 16/);
  });

  test('what the person told and what a tool returned earlier is remembered, with its place', async () => {
    const talk = new Talk();
    await talk.reply('user', 'Our boat is called Heron. What is the weather in Paris?', tools);
    talk.returns('{"city":"Paris","sky":"clear"}');
    await talk.goOn(tools);
    expect((await talk.reply('user', 'What is our boat called?', tools)).content).toMatch(
      /^Our boat is called Heron\. \(the text given:1\)/,
    );
    expect((await talk.reply('user', 'And how clear was the sky over Paris?', tools)).content).toMatch(
      /^city: Paris, sky: clear \(get_weather\) \(an earlier answer\)/,
    );
  });
});
