import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentReader } from '../../src/activities/tools/arguments.ts';
import { writtenCalls } from '../../src/activities/tools/written-call.ts';
import type { ToolSpec } from '../../src/protocol/message.ts';
import type { ReplyCall } from '../../src/protocol/model-call.ts';
import { coordinationTools, decisionTools } from '../../src/workflows/orchestration/tools.ts';

const team = coordinationTools(['agent1', 'agent2'], 'agents');
const judge = decisionTools({ compares: false, plans: false });
const answer = (content: string) => ({ name: 'new_answer', input: { content } });

/** The call in a text as the workflow gets it. */
function callIn(text: string, specs: ToolSpec[]): ReplyCall | undefined {
  const read = argumentReader(specs);
  const [call] = writtenCalls(text, specs, read)?.calls ?? [];
  return call && read({ id: 'c', ...call }, 'stop').reply;
}

const vote = { name: 'vote', input: { agent_id: 'agent2', reason: 'Best.' } };
const json = '{"name": "new_answer", "arguments": {"content": "42"}}';

describe('a call that a model writes as text is read as the call', () => {
  test.each([
    ['alone', json, answer('42')],
    ['in a fenced block', `\`\`\`json\n${json}\n\`\`\``, answer('42')],
    ['in a fenced block among words', `Here it is:\n\`\`\`\n${json}\n\`\`\`\nThat is all.`, answer('42')],
    ['in a tag', `<tool_call>\n${json}\n</tool_call>`, answer('42')],
    ['behind a mark', `[TOOL_CALLS] [${json}]`, answer('42')],
    ['behind other braces', `The set {1, 2} has two. ${json}`, answer('42')],
    ['with arguments as a string', '{"name":"new_answer","arguments":"{\\"content\\":\\"42\\"}"}', answer('42')],
    ['with parameters', '{"name":"new_answer","parameters":{"content":"42"}}', answer('42')],
    [
      'as providers nest it',
      '{"type":"function","function":{"name":"new_answer","arguments":{"content":"42"}}}',
      answer('42'),
    ],
    ['by its name as the key', '{"new_answer": {"content": "42"}}', answer('42')],
    ['by its name before the arguments', 'new_answer({"content": "42"})', answer('42')],
    ['in a tag with its name', '<function=new_answer>{"content": "42"}</function>', answer('42')],
    ['its arguments alone', '{"content": "42"}', answer('42')],
    ['its arguments alone, fenced', '```json\n{"content": "42"}\n```', answer('42')],
    ['a vote by its arguments', '{"agent_id": "agent2", "reason": "Best."}', vote],
    ['a number in place of a text', '{"name":"new_answer","arguments":{"content":42}}', answer('42')],
    [
      'more arguments than there are',
      '{"name":"vote","arguments":{"agent_id":"agent2","reason":"Best.","score":9}}',
      vote,
    ],
    ['line breaks in a text', '{"name":"new_answer","arguments":{"content":"a\n\tb"}}', answer('a\n\tb')],
  ])('%s', (_, text, call) => {
    expect(callIn(text, team)).toMatchObject(call);
  });

  test.each([
    ['{"confirmed": "true"}', { name: 'submit', input: { confirmed: true } }],
    [
      '{"reason": "r", "instructions": "i"}',
      { name: 'restart_orchestration', input: { reason: 'r', instructions: 'i' } },
    ],
  ])('a decision: %s', (text, call) => {
    expect(callIn(text, judge)).toMatchObject(call);
  });

  test('one that names its tool is told what does not fit', () => {
    expect(callIn('{"name": "vote", "arguments": {"agent_id": "agent2"}}', team)).toMatchObject({
      name: 'vote',
      error: expect.stringContaining('reason: it is missing') as string,
    });
  });

  test('words around it are kept beside it', () => {
    const beside = (text: string) => writtenCalls(text, team, argumentReader(team))?.content;
    expect([json, `\`\`\`json\n${json}\n\`\`\``, `Sure! ${json}`].map(beside)).toEqual(['', '', `Sure! ${json}`]);
  });
});

/** Tools of an agent's own beside those of its team. */
const own: ToolSpec[] = ['view_file', 'run_command'].map((name) => ({
  name,
  description: '',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, lines: { type: 'integer' } },
    required: ['path'],
  },
}));

const view = (path: string, name = 'view_file') => ({ name, arguments: { path } });

/** As chat templates of these models show their own calls to them (ggml-org/llama.cpp, models/templates, 2026-11). */
const native = {
  Mistral: '[TOOL_CALLS]view_file[ARGS]{"path": "a"}',
  'Kimi K2':
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.view_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>',
  'DeepSeek R1':
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>view_file\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'DeepSeek V3.1':
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>view_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'DeepSeek V3.2':
    '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="view_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  'GLM 4.6': '\n<tool_call>view_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
  'MiniMax M2':
    '\n<minimax:tool_call>\n<invoke name="view_file">\n<parameter name="path">a</parameter>\n</invoke>\n</minimax:tool_call>',
  'gpt-oss': '<|channel|>commentary to=functions.view_file <|constrain|>json<|message|>{"path": "a"}<|call|>',
  'Gemma 4': '<|tool_call>call:view_file{path:<|"|>a<|"|>}<tool_call|>',
  'Gemma 3': '\n```tool_code\nview_file(path="a")\n```',
  'LFM 2': "<|tool_call_start|>[view_file(path='a')]<|tool_call_end|>",
  'Command R':
    '\n<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "view_file", "parameters": {"path": "a"}}\n]<|END_ACTION|>',
  Granite: '<|tool_call|>[{"name": "view_file", "arguments": {"path": "a"}}]',
  Solar:
    '<|tool_calls|><|tool_call:begin|>abc12<|tool_call:name|>view_file<|tool_call:args|>{"path": "a"}<|tool_call:end|>',
};

test('a call within an argument of another is its text', () => {
  const content = JSON.stringify({ name: 'view_file', arguments: { path: 'b' } });
  const text = `<function=run_command><parameter=path><tool_call>${content}</tool_call></parameter></function>`;
  expect(writtenCalls(text, own, argumentReader(own))?.calls).toEqual([
    { name: 'run_command', arguments: JSON.stringify({ path: `<tool_call>${content}</tool_call>` }) },
  ]);
});

describe('a call of any tool is no words for a reader', () => {
  const read = argumentReader([...team, ...own]);
  const written = (text: string) => {
    const { calls = [], content } = writtenCalls(text, [...team, ...own], read) ?? {};
    return { content, calls: calls.map((call) => read({ id: 'c', ...call }, 'stop').reply) };
  };
  const viewed = (...paths: string[]) => paths.map((path) => ({ name: 'view_file', input: { path } }));

  test.each([
    ['alone', JSON.stringify(view('a')), '', viewed('a')],
    ['fenced', `\`\`\`json\n${JSON.stringify(view('a'))}\n\`\`\``, '', viewed('a')],
    [
      'at the end of words',
      `Let me look at it.\n\n\`\`\`json\n${JSON.stringify(view('a'))}\n\`\`\``,
      'Let me look at it.',
      viewed('a'),
    ],
    [
      'in a tag, with what it invents behind it',
      `Now.\n<tool_call>${JSON.stringify(view('a'))}</tool_call>\nIt holds 42.`,
      'Now.',
      viewed('a'),
    ],
    [
      'twice',
      `<tool_call>\n${JSON.stringify(view('a'))}\n</tool_call>\n<tool_call>\n${JSON.stringify(view('b'))}\n</tool_call>`,
      '',
      viewed('a', 'b'),
    ],
    ['as a list', `[TOOL_CALLS] [${JSON.stringify(view('a'))}, ${JSON.stringify(view('b'))}]`, '', viewed('a', 'b')],
    ['like a function', 'view_file({"path": "a"})', '', viewed('a')],
    ['as elements', '<function=view_file>\n<parameter=path>\na\n</parameter>\n</function>', '', viewed('a')],
    [
      'as elements with names',
      '<invoke name="view_file"><parameter name="path">a</parameter></invoke>',
      '',
      viewed('a'),
    ],
    ...Object.entries(native).map(([model, text]): [string, string, string, object[]] => [
      `as ${model} was trained to write it`,
      `Let me see.${text}`,
      'Let me see.',
      viewed('a'),
    ]),
    [
      'twice, in code',
      "[view_file(path='a'), view_file(path='b', lines=3)]",
      '',
      [...viewed('a'), { name: 'view_file', input: { path: 'b', lines: 3 } }],
    ],
    ['under another name', JSON.stringify(view('a', 'functions.view_file')), '', viewed('a')],
    [
      'of a question to the others',
      '{"name": "ask_others", "arguments": {"question": "Q"}}',
      '',
      [{ name: 'ask_others' }],
    ],
    [
      'of a tool that there is not',
      '<tool_call>{"name": "look", "arguments": {}}</tool_call>',
      '',
      [{ name: 'look', error: expect.stringMatching(/^No such tool/) }],
    ],
  ])('%s', (_, text, content, calls) => {
    expect(written(text)).toMatchObject({ content, calls });
  });

  test.each([
    ['words about a call', `It calls ${JSON.stringify(view('a'))} first, and then answers.`],
    ['an object of that form', '{"name": "look", "arguments": {"path": "a"}}'],
    ['an object with a name', '{"name": "view_file", "size": 3}'],
    ['code within a sentence', "One could write view_file(path='a')"],
    ['code that is an answer', "Like this:\n```python\nview_file(path='a')\n```"],
    ['code behind a comma', "Then, view_file(path='a')"],
    ['code with words behind it', "[view_file(path='a')] is how it is called."],
    ['code that has to be run', "view_file(path=name + '.md')"],
    ['an answer behind marks', '<|channel|>final<|message|>{"path": "a"}'],
  ])('but not %s', (_, text) => {
    expect(written(text)).toEqual({ content: undefined, calls: [] });
  });

  test('a hostile text takes no longer than a long one', () => {
    for (const piece of [
      '<function=a>',
      '<invoke name="a"><parameter name="b">',
      '{"a":{}',
      '<tool_call>',
      '[[[',
      'view_file(',
      '\nview_file(path=[',
      '<tool_call>a<arg_key>b</arg_key><arg_value>',
      '<|tool_call>call:a{b:<|"|>',
      '<|a|> b ',
    ])
      expect(written(piece.repeat(40_000)).calls.length).toBeLessThan(9);
  });
});

test.each([
  ['prose', 'The answer is 42.'],
  ['prose that names a tool', 'I would call `new_answer` with 42.'],
  ['a choice in words', 'I vote for agent2, since it is the best.'],
  ['an object of its own', '{"answer": 42}'],
  ['arguments among words', 'The object {"content": "42"} is what you asked for.'],
  ['arguments with more beside them', '{"content": "42", "title": "T"}'],
  ['arguments without what is needed', '{"agent_id": "agent2"}'],
  ['an object behind a word that is a tool', 'Those who vote {"may": "do so"}.'],
  ['an empty text', '{"content": ""}'],
  ['a call of another tool', '{"name": "search", "arguments": {"query": "42"}}'],
  ['a call that was cut off', '{"name": "new_answer", "arguments": {"content": "4'],
])('no call: %s', (_, text) => {
  expect(callIn(text, team)).toBeUndefined();
});

test('whatever an answer says, its call is read whole', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.trim() !== ''),
      fc.constantFrom('', 'Sure! ', '```json\n', '<tool_call>'),
      (content, before) => {
        const text = before + JSON.stringify({ name: 'new_answer', arguments: { content } });
        expect(callIn(text, team)).toEqual({ id: 'c', ...answer(content) });
      },
    ),
    { numRuns: 1000 },
  );
});

test('no text breaks the reader, and what it reads fits the tool', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '"',
    '\\',
    ':',
    ',',
    'name',
    'vote',
    'agent_id',
    'reason',
    'arguments',
    ' ',
    '1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const call = callIn(pieces.join(''), team);
      if (call !== undefined && 'input' in call)
        expect(Object.keys(call.input)).toEqual(expect.arrayContaining(['agent_id', 'reason']));
    }),
    { numRuns: 2000 },
  );
});

test('a hostile text takes no longer than a long one', () => {
  expect(callIn('{"'.repeat(500_000), team)).toBeUndefined();
});
