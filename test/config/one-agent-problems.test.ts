import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modulePath, modulePathProblem } from '../../src/config/extensions.ts';
import { parseConfig } from '../../src/config/read-config.ts';

const problemsIn = (text: string): string[] => {
  const read = parseConfig(text, 'c.yaml');
  return read.ok ? [] : read.problems;
};

/** Line 2: the model; 3: tools; 4: the orchestrator; lines 6 to 8: the wires. */
interface Lines {
  llm?: string;
  tools?: string;
  loop?: string;
  more?: string;
  toLlm?: string;
  toTools?: string;
  toLoop?: string;
  rest?: string;
}

const fileOf = (lines: Lines): string =>
  [
    'modules:',
    `  - ${lines.llm ?? '{ module: OpenAILLM, id: llm }'}`,
    `  - ${lines.tools ?? '{ module: PythonToolProvider, id: tools, config: { tool_packages: [tools.weather] } }'}`,
    `  - ${lines.loop ?? '{ module: SimpleToolOrchestrator, id: loop }'}${lines.more === undefined ? '' : `\n  - ${lines.more}`}`,
    'exchange:',
    ...[
      lines.toLlm ?? '{ module: loop, protocol: LLMProtocol, provider: llm }',
      lines.toTools ?? '{ module: loop, protocol: ToolProviderProtocol, provider: tools }',
      lines.toLoop ?? '{ module: __entry__, protocol: TextMessageHandlerProtocol, provider: loop }',
    ].flatMap((line) => (line === '' ? [] : [`  - ${line}`])),
    lines.rest ?? '',
  ].join('\n');

test('the file of these tables is valid as it stands', () => {
  expect(problemsIn(fileOf({}))).toEqual([]);
});

const kinds =
  'valid modules: OpenAIProvider, OpenAILLM, AnthropicLLM, GoogleLLM, ChatCompletionLLM, OfflineLLM, PythonToolProvider, ' +
  'MCPToolProvider, SimpleToolOrchestrator, ReActOrchestrator, ResponseHandler, SimpleConversation, ./my-orchestrator.ts';
const backendKeys =
  'model, base_url, api_key_env, temperature, max_tokens, reasoning_effort, extra_body, headers, max_retries, idle_timeout, folder, mcp_servers, cwd, enable_mcp_command_line, command_line_execution_mode';

const llm = (config: string): Lines => ({ llm: `{ module: OpenAILLM, id: llm, config: { ${config} } }` });
const loop = (config: string, kind = 'SimpleTool'): Lines => ({
  loop: `{ module: ${kind}Orchestrator, id: loop, config: { ${config} } }`,
});
const tools = (config: string): Lines => ({
  tools: `{ module: PythonToolProvider, id: tools, config: { ${config} } }`,
});
/** A wire of `loop`, or of another module, to a provider. */
const wire = (protocol: string, provider: string, module = 'loop'): string =>
  `{ module: ${module}, protocol: ${protocol}, provider: ${provider} }`;
const oneMore = (...words: Parameters<typeof wire>): Lines => ({ rest: `  - ${wire(...words)}` });
const leaves = 'leaves the extensions folder: a module of your own is in it, as in ./my-module.ts';

describe('a wrong module is named with its line, its key and what is right', () => {
  test.each<[message: string, lines: Lines]>([
    [
      `2: modules[0].module: there is no module "OpenAILM"; did you mean OpenAILLM? ${kinds}`,
      { llm: '{ module: xaibo.modules.OpenAILM, id: llm }' },
    ],
    [`2: modules[0].module: there is no module "constructor"; ${kinds}`, { llm: '{ module: constructor, id: llm }' }],
    ['5: modules[3].id: a second module of the id "llm"', { more: '{ module: OfflineLLM, id: llm }' }],
    [
      `5: modules[3].id: "__entry__" is where the user's text comes in, and no id of a module`,
      { more: '{ module: OfflineLLM, id: __entry__ }' },
    ],
    [
      '2: modules[0].conf: unknown key; did you mean config? valid keys: module, id, config',
      { llm: '{ module: OpenAILLM, id: llm, conf: {} }' },
    ],
    [`2: modules[0].config.modle: unknown key; did you mean model? valid keys: ${backendKeys}`, llm('modle: gpt-5')],
    [`2: modules[0].config.type: unknown key; valid keys: ${backendKeys}`, llm('type: claude')],
    [
      '4: modules[2].config.max_iterations: unknown key; valid keys: system_prompt, max_thoughts, parallel',
      loop('max_iterations: 3'),
    ],
    ['4: modules[2].config.max_thoughts: 0 is too small (at least 1)', loop('max_thoughts: 0')],
    ['4: modules[2].config.max_iterations: 0 is too small (at least 1)', loop('max_iterations: 0', 'ReAct')],
    [
      '4: modules[2].config.reasoning_temperature: 2.1 is too large (at most 2)',
      loop('reasoning_temperature: 2.1', 'ReAct'),
    ],
    ['3: modules[1].config.tool_packages: is missing (a list)', { tools: '{ module: PythonToolProvider, id: tools }' }],
    [
      '3: modules[1].config.tool_packages[0]: "tools..weather" is no name of a tool module: names joined by dots, as in tools.weather, or a path, as in ./tools/weather.ts',
      tools('tool_packages: [tools..weather]'),
    ],
    [
      '3: modules[1].config.tool_packages[0]: builtin.wbe: no such built-in; did you mean builtin.web? there are builtin.search, builtin.files, builtin.attachments, builtin.web, builtin.calculator, builtin.results, builtin.python, builtin.workspace, builtin.command, builtin.command.local',
      tools('tool_packages: [builtin.wbe]'),
    ],
    [`3: modules[1].config.tool_packages[0]: "../weather.ts" ${leaves}`, tools('tool_packages: [../weather.ts]')],
    [`4: modules[2].module: "./a/../../own.ts" ${leaves}`, { loop: '{ module: ./a/../../own.ts, id: loop }' }],
    [
      '4: modules[2].module: "own.ts" is no path of a module: it starts with ./ and ends with .ts, .mts, .js or .mjs',
      { loop: '{ module: own.ts, id: loop }' },
    ],
    ['4: modules[2].config: [1] is not an object', { loop: '{ module: ./own.ts, id: loop, config: [1] }' }],
    [
      '5: modules[3].config.max_history: unknown key; there are none here',
      { more: '{ module: SimpleConversation, id: history, config: { max_history: 3 } }' },
    ],
  ])('%s', (message, lines) => {
    expect(problemsIn(fileOf(lines))).toEqual([`c.yaml:${message}`]);
  });

  test('a module that is none: what its id would be, nobody knows', () => {
    expect(problemsIn(fileOf({ llm: 'llm' }))).toEqual(['c.yaml:2: modules[0]: "llm" is not an object']);
  });
});

describe('a wrong wire is named with its line, its key and what is right', () => {
  test.each<[message: string, lines: Lines]>([
    [
      '6: exchange[0].protocol: "LLMProtocl" is not one of LLMProtocol | ToolProviderProtocol | ResponseProtocol | ConversationHistoryProtocol | TextMessageHandlerProtocol; did you mean LLMProtocol?',
      { toLlm: wire('LLMProtocl', 'llm') },
    ],
    [
      '7: exchange[1].provider: there is no module of the id "tool"; did you mean tools? valid ids: llm, tools, loop',
      { toTools: wire('ToolProviderProtocol', 'tool') },
    ],
    [
      '7: exchange[1].provider[1]: there is no module of the id "more"; valid ids: llm, tools, loop',
      { toTools: wire('ToolProviderProtocol', '[tools, more]') },
    ],
    [
      '6: exchange[0].provider: "tools" (PythonToolProvider) does not provide LLMProtocol; valid ids: llm',
      { toLlm: wire('LLMProtocol', 'tools') },
    ],
    [
      '9: exchange[3].provider: "llm" (OpenAILLM) does not provide ResponseProtocol; no module does',
      oneMore('ResponseProtocol', 'llm'),
    ],
    [
      '8: exchange[2].provider: "llm" (OpenAILLM) is no orchestrator; valid ids: loop',
      { toLoop: wire('TextMessageHandlerProtocol', 'llm', '__entry__') },
    ],
    [
      '7: exchange[0].provider: LLMProtocol takes one provider, not 2',
      { more: '{ module: OfflineLLM, id: second }', toLlm: wire('LLMProtocol', '[llm, second]') },
    ],
    [
      '9: exchange[2].provider: __entry__ takes one orchestrator, not 2',
      {
        more: '{ module: SimpleToolOrchestrator, id: second }',
        toLoop: wire('TextMessageHandlerProtocol', '[loop, second]', '__entry__'),
        rest: '  - { module: second, protocol: LLMProtocol, provider: llm }',
      },
    ],
    [
      '10: exchange[3].protocol: a second wire of "__entry__" for TextMessageHandlerProtocol: exchange[2] is the first',
      {
        more: '{ module: SimpleToolOrchestrator, id: second }',
        rest: '  - { module: __entry__, protocol: TextMessageHandlerProtocol, provider: second }',
      },
    ],
    [
      '9: exchange[3].protocol: a second wire of "loop" for ToolProviderProtocol: exchange[1] is the first; one wire may list several: provider: [a, b]',
      oneMore('ToolProviderProtocol', 'tools'),
    ],
    ['7: exchange[1].provider: "tools" stands twice', { toTools: wire('ToolProviderProtocol', '[tools, tools]') }],
    [
      '9: exchange[3].protocol: __entry__ takes TextMessageHandlerProtocol, not LLMProtocol',
      oneMore('LLMProtocol', 'llm', '__entry__'),
    ],
    [
      '9: exchange[3].protocol: TextMessageHandlerProtocol is for __entry__; an orchestrator uses LLMProtocol, ToolProviderProtocol, ResponseProtocol, ConversationHistoryProtocol',
      oneMore('TextMessageHandlerProtocol', 'loop'),
    ],
    [
      '9: exchange[3].module: "tools" (PythonToolProvider) uses no other module: only __entry__ and orchestrators are wired',
      oneMore('LLMProtocol', 'llm', 'tools'),
    ],
    ['5: exchange: {module: loop, protocol: LLMProtocol, provider: …} is missing; valid ids: llm', { toLlm: '' }],
    [
      '5: exchange: {module: __entry__, protocol: TextMessageHandlerProtocol, provider: …} is missing; valid ids: loop',
      { toLoop: '' },
    ],
    ['9: exchange[3].provider: 42 is not the id of a module, or a list of ids', oneMore('ResponseProtocol', '42')],
    [
      '9: exchange[3].provider: is missing (the id of a module, or a list of ids)',
      { rest: '  - { module: loop, protocol: ResponseProtocol }' },
    ],
  ])('%s', (message, lines) => {
    expect(problemsIn(fileOf(lines))).toEqual([`c.yaml:${message}`]);
  });

  test('a module that does not exist', () => {
    const toLlm = '{ module: loops, protocol: LLMProtocol, provider: llm }';
    expect(problemsIn(fileOf({ toLlm }))).toEqual([
      'c.yaml:6: exchange[0].module: there is no module of the id "loops"; did you mean loop? valid ids: llm, tools, loop, __entry__',
      'c.yaml:5: exchange: {module: loop, protocol: LLMProtocol, provider: …} is missing; valid ids: llm',
    ]);
  });

  test('wires keep their numbers where one of them is no wire at all', () => {
    const toTools = '{ module: loop, protocol: ToolProviderProtocol, provider: none }';
    expect(problemsIn(fileOf({ toLlm: '7', toTools }))).toEqual([
      'c.yaml:6: exchange[0]: 7 is not an object',
      'c.yaml:7: exchange[1].provider: there is no module of the id "none"; valid ids: llm, tools, loop',
    ]);
  });
});

describe('MCP servers', () => {
  const serverKeys = 'valid keys: name, transport, command, args, env, url, headers, client_credentials';

  test.each([
    ['{ name: a }', ': a server has either a command, which is started, or a url'],
    ['{ name: a, command: b, url: "http://c/" }', ': a server has either a command, which is started, or a url'],
    ['{ name: a, command: [] }', '.command: must not be empty'],
    ['{ name: a, command: 7 }', '.command: 7 is not a command, or a list of its words'],
    ['{ name: a, url: here }', '.url: "here" is not a valid URL, which begins with http:// or https://'],
    ['{ name: a, url: "http://c/", args: [b] }', '.args: goes with a command'],
    ['{ name: a, command: b, headers: {} }', '.headers: goes with a url'],
    ['{ name: a, transport: stdio, url: "http://c/" }', '.transport: a server with a url has the transport sse'],
    ['{ name: a, transport: sse, command: b }', '.transport: a server with a command has the transport stdio'],
    ['{ name: a, transport: websocket, url: "http://c/" }', '.transport: "websocket" is not one of stdio | sse'],
    ['{ command: b }', '.name: is missing (a string)'],
    ['{ name: a, comand: b, url: "http://c/" }', `.comand: unknown key; did you mean command? ${serverKeys}`],
  ])('%s', (server, message) => {
    const tools = `{ module: MCPToolProvider, id: tools, config: { servers: [${server}] } }`;
    expect(problemsIn(fileOf({ tools }))).toEqual([`c.yaml:3: modules[1].config.servers[0]${message}`]);
  });

  const secret =
    'looks like a secret, and a configuration is kept with its runs: ' +
    "write ${NAME}, and set the variable NAME in the worker's environment";

  test.each([
    ['{ name: a, command: b, env: { TOKEN: sk-1234567890, LEVEL: info } }', ['.env.TOKEN']],
    ['{ name: a, url: "http://c/", headers: { Authorization: Bearer abc } }', ['.headers.Authorization']],
    ['{ name: a, command: b, env: { ONE: ghp_1234567890, TWO: "http://c/?key=1" } }', ['.env.ONE', '.env.TWO']],
    ['{ name: a, command: b, env: { TOKEN: "${A_TOKEN}", PLACE: "http://c/?key=${KEY}&page=1" } }', []],
    ['{ name: a, url: "http://c/", headers: { Authorization: "Bearer ${TOKEN}" } }', []],
  ])('secrets are refused by their keys and never shown, their variables are not: %s', (server, keys) => {
    const tools = `{ module: MCPToolProvider, id: tools, config: { servers: [${server}] } }`;
    expect(problemsIn(fileOf({ tools }))).toEqual(
      keys.map((key) => `c.yaml:3: modules[1].config.servers[0]${key}: ${secret}`),
    );
  });

  test('a timeout of more than a day', () => {
    const tools = '{ module: MCPToolProvider, id: tools, config: { servers: [], timeout: 86401 } }';
    expect(problemsIn(fileOf({ tools }))).toEqual([
      'c.yaml:3: modules[1].config.timeout: 86401 is too large (at most 86400)',
    ]);
  });

  test('two of one name', () => {
    const servers = '[{ name: a, command: b }, { name: a, url: "http://c/" }]';
    expect(
      problemsIn(fileOf({ tools: `{ module: MCPToolProvider, id: tools, config: { servers: ${servers} } }` })),
    ).toEqual(['c.yaml:3: modules[1].config.servers[1].name: a second server of the name "a"']);
  });
});

describe('beside modules and wires', () => {
  test.each([
    [
      'coordination: { broadcast: agents }',
      'coordination.broadcast: "agents" has nobody to ask where there is one agent; use human, which asks a person',
    ],
    [
      'coordination: { max_orchestration_restarts: 2 }',
      'coordination.max_orchestration_restarts: unknown key; valid keys: broadcast, broadcast_timeout, max_broadcasts_per_agent, broadcast_sensitivity, response_depth',
    ],
    ['idle_timeout: 0', 'idle_timeout: 0 is too small (more than 0)'],
    ['budget: { calls: 0 }', 'budget.calls: 0 is too small (more than 0)'],
    [
      'agents: []',
      'agents: unknown key; valid keys: modules, exchange, coordination, budget, prices, permissions, attended, notify, idle_timeout',
    ],
  ])('%s', (rest, message) => {
    expect(problemsIn(fileOf({ rest }))).toEqual([`c.yaml:9: ${message}`]);
  });

  test.each([
    ['modules: []\nexchange: []\n', ['c.yaml:1: modules: must not be empty']],
    ['modules: {}\nexchange: []\n', ['c.yaml:1: modules: {} is not a list']],
    ['exchange: []\n', ['c.yaml:1: modules: is missing (a list)']],
    ['modules: [{ module: OfflineLLM, id: llm }]\n', ['c.yaml:1: exchange: is missing (a list)']],
  ])('%j', (text, messages) => {
    expect(problemsIn(text)).toEqual(messages);
  });
});

test('a path that is accepted never leaves the folder', () => {
  const part = fc.constantFrom('..', '.', '', 'a', 'b.ts', '/', '\\', 'c.js', '...');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = `./${parts.join('/')}.ts`;
      if (modulePathProblem(path) !== undefined) return;
      expect(posix.join('/extensions', modulePath(path))).toMatch(/^\/extensions\/[^/]/);
    }),
  );
});
