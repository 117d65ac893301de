import { afterAll, describe, expect, test } from 'vitest';
import { kindOf } from '../../src/config/modules.ts';
import { configSchemas, inputSchemas, type InputName } from '../../src/trust/schemas.ts';
import { keyPaths } from './key-paths.ts';
import { machine, refusalOf, variables, worker } from './stages.ts';

const here = machine();
afterAll(() => here[Symbol.dispose]());

type Mapping = Record<string, unknown>;

interface Row {
  /** The path of the key as the refusal names it. */
  path: string;
  type: InputName;
  input: Mapping;
  /** What allows it; undefined where nothing does. */
  allow?: string | undefined;
}

/** What a worker is told to do with a path: the hostile value, and what must stand beside it. */
interface Hostile {
  key: string;
  value: Mapping;
  allow?: string | undefined;
}

const files = `files=${here.root}`;

const server = { name: 's', url: 'http://metadata.example/' };

/** Keys of an MCP server. */
const servers: Hostile[] = [
  { key: 'command', value: { name: 's', command: 'sh', args: ['-c', 'id > /tmp/taken'] }, allow: 'commands' },
  { key: 'env', value: { name: 's', command: 'sh', env: { A: '${AWS_SECRET_ACCESS_KEY}' } } },
  { key: 'url', value: server, allow: 'hosts=metadata.example' },
  { key: 'headers', value: { ...server, headers: { authorization: 'Bearer ${AWS_SECRET_ACCESS_KEY}' } } },
  {
    key: 'client_credentials.issuer',
    value: { ...server, client_credentials: login('https://issuer.example') },
    allow: 'hosts=issuer.example',
  },
  {
    key: 'client_credentials.client_secret',
    value: { ...server, client_credentials: login('https://issuer.example') },
  },
];

function login(issuer: string) {
  return { issuer, client_id: 'c', client_secret: '${AWS_SECRET_ACCESS_KEY}' };
}

const packages: Hostile[] = [
  { key: 'tool_packages[0]', value: { tool_packages: ['tools.deploy'] }, allow: 'modules' },
  { key: 'tool_packages[0]', value: { tool_packages: ['./scripts/deploy.ts'] }, allow: 'modules' },
  { key: 'tool_packages[0]', value: { tool_packages: ['builtin.files'] }, allow: files },
  { key: 'tool_packages[0]', value: { tool_packages: ['builtin.search'] }, allow: files },
  { key: 'tool_packages[0]', value: { tool_packages: ['builtin.command.local'] }, allow: 'commands' },
];

const loops: Hostile[] = [{ key: 'orchestrator', value: { orchestrator: './mine.ts' }, allow: 'modules' }];

/** Keys of a backend of the type `openai`. @param isModule whether the type is given by where it stands */
const backends = (isModule: boolean): Hostile[] =>
  (
    [
      { key: 'type', value: { type: 'claude_code' }, allow: 'commands' },
      {
        key: 'base_url',
        value: { type: 'chatcompletion', model: 'm', base_url: 'http://metadata.example/v1' },
        allow: 'hosts=metadata.example',
      },
      // A module's type is that of its name.
      ...(isModule
        ? [{ key: 'base_url', value: { base_url: 'http://metadata.example/v1' }, allow: 'hosts=metadata.example' }]
        : []),
      { key: 'api_key_env', value: { api_key_env: 'AWS_SECRET_ACCESS_KEY' } },
      { key: 'api_key_env', value: { api_key_env: 'ANTHROPIC_API_KEY' } },
      { key: 'api_key_env', value: { api_key_env: 'GITHUB_TOKEN' } },
      { key: 'extra_body', value: { extra_body: { metadata: [{ api_base: 'http://evil.example' }] } } },
      { key: 'extra_body', value: { extra_body: { google: { cached_content: 'cachedContents/1' } } } },
      { key: 'extra_body', value: { extra_body: { aws_sts_endpoint: 'http://evil.example' } } },
      { key: 'extra_body', value: { extra_body: { extra_headers: { Host: 'evil.example' } } } },
      { key: 'headers', value: { headers: { 'x-note': '${AWS_SECRET_ACCESS_KEY}' } } },
      { key: 'headers', value: { headers: { Host: 'evil.example' } } },
      { key: 'headers', value: { headers: { 'Helicone-Target-Url': 'https://evil.example' } } },
      { key: 'folder', value: { folder: '/etc' }, allow: 'files=/' },
      { key: 'folder', value: { folder: here.shared }, allow: files },
      { key: 'cwd', value: { cwd: 'files' }, allow: files },
      {
        key: 'command_line_execution_mode',
        value: { enable_mcp_command_line: true, command_line_execution_mode: 'local' },
        allow: 'commands',
      },
      ...servers.map(({ allow, key, value }) => ({
        key: `mcp_servers[0].${key}`,
        value: { mcp_servers: [value] },
        allow,
      })),
    ] satisfies Hostile[]
  )
    .filter(({ value }) => !isModule || !('type' in value))
    .map(({ value, ...rest }) => ({ ...rest, value: isModule ? value : { type: 'openai', ...value } }));

const rows: Row[] = [];

/** @param place makes the configuration around a value */
function add(
  type: InputName,
  prefix: string,
  hostiles: Hostile[],
  place: (value: Mapping) => Mapping,
  input: Mapping = inputs[type],
): void {
  for (const { allow, key, value } of hostiles)
    rows.push({ type, path: `${prefix}${key}`, input: { ...input, ...place(value) }, allow });
}

const inputs: Record<InputName, Mapping> = {
  orchestration: { task: 'T' },
  session: { text: 'T' },
  research: { idea: 'I' },
  planAndExecute: { problem: 'P' },
};

for (const type of ['orchestration', 'session'] as const) {
  const ofAgent = (value: Mapping): Mapping => ({ config: { agents: [{ id: 'a' }, { id: 'b', ...value }] } });
  add(type, 'config.agents[1].backend.', backends(false), (backend) => ofAgent({ backend }));
  add(type, 'config.agents[1].', [...packages, ...loops], ofAgent);
  add(type, 'config.final_agent.backend.', backends(false), (backend) => ({ config: { final_agent: { backend } } }));
  add(type, 'config.final_agent.judge.backend.', backends(false), (backend) => ({
    config: { final_agent: { judge: { backend } } },
  }));
  const storage = { key: 'snapshot_storage', value: { snapshot_storage: 'files' }, allow: files };
  add(type, 'config.orchestrator.', [storage], (orchestrator) => ({ config: { orchestrator } }));
}

const loop = { module: 'SimpleToolOrchestrator', id: 'loop' };
const wires = [
  { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
  { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
  { module: 'loop', protocol: 'ToolProviderProtocol', provider: ['t'] },
];
const llm = { module: 'ChatCompletionLLM', id: 'llm' };
const agentOf = (modules: Mapping[]): Mapping => ({
  config: { modules, exchange: modules.some(({ id }) => id === 't') ? wires : wires.slice(0, 2) },
});
add('session', 'config.modules[0].config.', backends(true), (config) =>
  agentOf([{ ...llm, config: { model: 'm', ...config } }, loop]),
);
add('session', 'config.modules[2].config.', packages, (config) =>
  agentOf([llm, loop, { module: 'PythonToolProvider', id: 't', config }]),
);
add(
  'session',
  'config.modules[2].config.',
  servers.map(({ allow, key, value }) => ({ key: `servers[0].${key}`, value: { servers: [value] }, allow })),
  (config) => agentOf([llm, loop, { module: 'MCPToolProvider', id: 't', config }]),
);
add('session', 'config.modules[1].', [{ key: 'module', value: {}, allow: 'modules' }], () =>
  agentOf([llm, { module: './mine.ts', id: 'loop' }]),
);
add('session', '', [{ key: 'earlier', value: { earlier: { prepared: {} } } }], (value) => value);

for (const role of ['plan.', 'criticism.', 'synthesize.', '']) {
  const hostile = backends(false).filter(({ value }) => value['type'] !== 'claude_code');
  add('research', `config.research.${role}backend.`, hostile, (backend) => ({
    config: { research: role === '' ? { backend } : { [role.slice(0, -1)]: { backend } } },
  }));
}
add(
  'research',
  'config.research.search.',
  [{ key: 'folder', value: { provider: 'folder', folder: here.shared }, allow: files }],
  (search) => ({ config: { research: { search } } }),
);
add(
  'research',
  'config.research.github_issue.',
  [{ key: 'repo', value: { repo: 'someone/elses' }, allow: 'hosts=api.github.com' }],
  (github_issue) => ({ config: { research: { github_issue } } }),
);

for (const role of ['planner.', 'validator.', 'synthesis.', 'executor.', '']) {
  const hostile = backends(false).filter(({ value }) => value['type'] !== 'claude_code');
  add('planAndExecute', `config.plan.${role}backend.`, hostile, (backend) => ({
    config: { plan: role === '' ? { backend } : { [role.slice(0, -1)]: { backend } } },
  }));
}
const ofExecutor = (executor: Mapping): Mapping => ({ config: { plan: { executor } } });
add('planAndExecute', 'config.plan.executor.', [...packages, ...loops], ofExecutor);
add(
  'planAndExecute',
  'config.plan.executor.',
  servers.map(({ allow, key, value }) => ({ key: `mcp_servers[0].${key}`, value: { mcp_servers: [value] }, allow })),
  ofExecutor,
);
for (const attached of [here.secretFile, { path: here.secretFile, name: 'notes.txt' }, '../diary.txt']) {
  const attachment = { key: 'attachments[0]', value: { attachments: [attached] }, allow: files };
  for (const type of Object.keys(inputSchemas) as InputName[]) add(type, '', [attachment], (value) => value);
}

const hooks: Hostile[] = [
  { key: 'url', value: { url: 'http://metadata.example/' }, allow: 'hosts=metadata.example' },
  { key: 'url', value: { url: 'http://metadata.example/${AWS_SECRET_ACCESS_KEY}' } },
  { key: 'secret_env', value: { url: 'http://metadata.example/', secret_env: 'OPENAI_API_KEY' } },
];
const kindsOf: Record<InputName, Mapping[]> = {
  orchestration: [{}],
  session: [{}, { modules: [llm, loop], exchange: wires.slice(0, 2) }],
  research: [{ research: {} }],
  planAndExecute: [{ plan: {} }],
};
for (const [type, configs] of Object.entries(kindsOf) as Array<[InputName, Mapping[]]>)
  for (const config of configs)
    add(type, 'config.notify[0].', hooks, (entry) => ({ config: { ...config, notify: [entry] } }));

describe('an input of anybody is refused for what it brings, with the path of the key and what would allow it', () => {
  test.each(rows)('$type: $path $allow', async ({ allow, input, path, type }) => {
    const strict = worker(here);
    const refusal = await refusalOf(strict.prepare(type, input));
    const line = refusal.split('\n').find((each) => each.startsWith(`${path}: an input may not `));
    if (line === undefined) throw new Error(`It is not refused: ${refusal}`);
    expect(line).toContain('an input may not ');
    const flag = allow?.startsWith('files=') ? 'files=DIR' : allow;
    if (flag === undefined) expect(line).not.toContain('--allow');
    else expect(line).toContain(`start the worker with --allow ${flag}`);
    expect(refusal).not.toContain(variables['AWS_SECRET_ACCESS_KEY']);
  });

  test.each(rows.filter((row) => row.allow !== undefined))(
    '$type: $path is let in by --allow $allow',
    async ({ allow = '', input, path, type }) => {
      const permissive = worker(here, [allow], { ...variables, REPRISE_ALLOW_COMMANDS: 'local' });
      const refusal = await refusalOf(permissive.prepare(type, input));
      expect(refusal.split('\n').filter((line) => line.startsWith(`${path}: an input may not `))).toEqual([]);
    },
  );
});

test('the rows above try every key that reaches anything', () => {
  const tried = new Set(rows.map(({ path, type }) => `${type} ${path.replaceAll(/\[\d+\]/g, '[]')}`));
  const missing = (Object.keys(inputSchemas) as InputName[]).flatMap((type) => {
    const kinds = {
      orchestration: ['team'],
      session: ['team', 'agent'],
      research: ['research'],
      planAndExecute: ['plan'],
    };
    const configs = (kinds[type] as Array<keyof typeof configSchemas>).flatMap((kind) =>
      keyPaths(configSchemas[kind], 'config'),
    );
    const found = [...keyPaths(inputSchemas[type]), ...configs].flatMap((each) =>
      each.privilege === 'moduleConfig' ? configsOfModules.flatMap((name) => moduleKeys(name, each.path)) : [each],
    );
    return found
      .filter(({ privilege }) => privilege !== 'none' && privilege !== 'configuration')
      .map(({ path }) => `${type} ${path}`);
  });
  // These kinds of backends are refused everywhere else (kinds.ts).
  const elsewhere = /^(research|planAndExecute) .*backend\.type$/;
  expect(missing.filter((path) => !tried.has(path) && !elsewhere.test(path))).toEqual([]);
  expect(missing.length).toBeGreaterThan(100);
});

const configsOfModules = ['OpenAILLM', 'PythonToolProvider', 'MCPToolProvider'];
const moduleKeys = (name: string, path: string) => {
  const schema = kindOf(name)?.schema;
  return schema === undefined ? [] : keyPaths(schema, path);
};
