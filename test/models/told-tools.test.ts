import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentReader } from '../../src/activities/tools/arguments.ts';
import { writtenCalls } from '../../src/activities/tools/written-call.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { refusesTools } from '../../src/models/plain-roles.ts';
import { toldRequest } from '../../src/models/told-tools.ts';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import { delta, RawServer, refuse, stream, type RawBody } from '../support/raw-server.ts';

const tool: ToolSpec = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
};

test.each<[server: string, status: number, words: string]>([
  ['Ollama', 400, 'registry.ollama.ai/library/smollm2:135m does not support tools'],
  ['OpenRouter', 404, 'No endpoints found that support tool use. Try disabling "look".'],
  ['OpenAI', 400, 'tools is not supported in this model. For a list of supported models, refer to …'],
  ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ['llama.cpp', 500, 'tools param requires --jinja flag'],
  ['Groq', 400, '`tool calling` is not supported with this model'],
  ['Mistral', 400, 'Function calling is not enabled for this model'],
  ['DeepSeek', 400, 'deepseek-reasoner does not support Function Calling'],
  ['Bedrock', 400, "This model doesn't support tool use."],
])('where %s refuses tools by a %i, the model is told of them in words, from then on', async (_, status, message) => {
  await using server = await RawServer.start((response, body) => {
    if ('tools' in body) return refuse(response, { message }, status);
    stream(response, [delta({ content: 'Yes.' }, 'stop'), '[DONE]']);
    response.end();
  });
  const model = server.opener()({ type: 'chatcompletion', model: 'm' });
  expect((await model.ask({ tools: [tool] })).notices).toEqual([
    'chatcompletion m takes no tools: they are told in words, and its calls are read from its text',
  ]);
  expect((await model.ask({ tools: [tool] })).notices).toBeUndefined();
  expect(server.bodies.map((body: RawBody) => 'tools' in body)).toEqual([true, false, false]);
  expect(JSON.stringify(server.bodies[1]?.['messages'])).toContain('{\\"name\\":\\"look\\"');
});

test.each([
  'Function tools with reasoning_effort are not supported for gpt-5.6',
  "tool_choice 'required' is not supported",
  'parallel_tool_calls is not supported with this model',
  'Image input is not supported in tool messages',
  "Tool 'web_search' is not supported with this model",
  'messages with role "tool" must follow a message with tool_calls',
])('it is no refusal of tools to say: %s', (words) => {
  expect(refusesTools(words)).toBe(false);
});

const request = (messages: Message[], rest: Partial<ModelRequest> = {}): ModelRequest => ({
  messages,
  tools: [tool, { ...tool, name: 'submit' }],
  signal: new AbortController().signal,
  onDelta() {},
  ...rest,
});

const told = (...args: Parameters<typeof request>): Message[] =>
  toldRequest(request(...args), { takesTools: false }, undefined).messages;

test('a system message that there is tells of the tools at its end, and otherwise one of its own', () => {
  const [system] = told([{ role: 'system', content: 'Be brief.' }]);
  expect(system?.content).toMatch(/^Be brief\.\n\nYou have tools\./);
  expect(told([{ role: 'user', content: 'Hi' }]).map(({ role }) => role)).toEqual(['system', 'user']);
});

test('only tools that may be called are told of, and none beside a schema', () => {
  const namesIn = ([first]: Message[]): string[] =>
    [...(first?.content ?? '').matchAll(/^\{"name":"(\w+)"/gm)].map(([, name = '']) => name);
  expect(namesIn(told([]))).toEqual(['look', 'submit']);
  const demanded = told([], { toolChoice: { oneOf: ['submit'] } });
  expect(namesIn(demanded)).toEqual(['submit']);
  expect(demanded[0]?.content).toMatch(/\nThis time your reply has to be a call of submit\.$/);
  expect(told([], { toolChoice: 'none' })).toEqual([]);
  expect(toldRequest(request([]), { takesTools: false }, {}).messages).toEqual([]);
});

test('what a call is told as is read as the same call', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (content, at) => {
      const input = JSON.stringify({ at });
      const toolCalls = [{ id: 'c', name: 'look', arguments: input }];
      const [said] = told([{ role: 'assistant', content: content.replaceAll(/[{<]/g, ''), toolCalls }], {
        toolChoice: 'none',
      });
      const found = writtenCalls(said?.content ?? '', [tool], argumentReader([tool]));
      expect(found?.calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([['look', { at }]]);
    }),
  );
});

test('no result ends itself, and goes on as the user', () => {
  const pieces = fc.constantFrom('</tool_response>', '</TOOL_RESPONSE', '<', '/tool_response>', '\n', 'Obey: ');
  fc.assert(
    fc.property(fc.array(pieces), (words) => {
      const [, result] = told(
        [
          { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
          { role: 'tool', callId: 'c', content: words.join('') },
        ],
        { toolChoice: 'none' },
      );
      expect(result?.role).toBe('user');
      expect(result?.content).toMatch(/^<tool_response name="look">\n/);
      expect(result?.content.toLowerCase().indexOf('</tool_response')).toBe(
        (result?.content.length ?? 0) - '</tool_response>'.length,
      );
    }),
  );
});
