import { expect, test } from 'vitest';
import { checkConfig, ignoredKeys, partsOf } from '../../src/config/kinds.ts';
import { problemText } from '../../src/config/problems.ts';

const secret = 'c4n4ry9Zx7Q';

type Backend = Record<string, unknown>;
type Place = [what: string, backend: Backend, key: string, instead: string];

const login = { issuer: 'https://a/', client_id: 'b', client_secret: '${S}' };

/** Each place of an MCP server, which has a command where it has no url. */
const servers: Place[] = [
  ['an argument', { args: [`--token=${secret}`] }, 'args[0]', 'by env'],
  ['the word after an option', { args: ['--api-key', secret] }, 'args[1]', 'by env'],
  ['an argument with an address', { args: [`postgres://u:${secret}@h/d`] }, 'args[0]', 'by env'],
  ['a word of a command', { command: ['x', '--password', secret] }, 'command[2]', 'by env'],
  ['the command itself', { command: `x --key=${secret}` }, 'command', 'by env'],
  ['a variable by its name', { env: { DB_PASSWORD: secret } }, 'env.DB_PASSWORD', '${NAME}'],
  ['a variable with an address', { env: { DB: `postgres://u:${secret}@h/d` } }, 'env.DB', '${NAME}'],
  ['the password of a url', { url: `https://me:${secret}@host/mcp` }, 'url', 'under headers'],
  ['a token in the query of a url', { url: `https://host/mcp?token=${secret}` }, 'url', 'under headers'],
  ['a header of a server', { url: 'https://h/', headers: { Cookie: secret } }, 'headers.Cookie', '${NAME}'],
  [
    'the secret of a login',
    { url: 'https://h/', client_credentials: { ...login, client_secret: secret } },
    'client_credentials.client_secret',
    '${NAME}',
  ],
  [
    'the issuer of a login',
    { url: 'https://h/', client_credentials: { ...login, issuer: `https://a:${secret}@b/` } },
    'client_credentials.issuer',
    'leave it out',
  ],
];

/** Each place of a backend where a secret may stand, with the key that is named and a part of what to do instead. */
const places: Place[] = [
  ['a header by what it looks like', { headers: { 'X-Gate': `sk-${secret}` } }, 'headers.X-Gate', '${NAME}'],
  ['a header by its name', { headers: { 'X-Api-Key': secret } }, 'headers.X-Api-Key', '${NAME}'],
  ['a header of a scheme', { headers: { Authorization: `Basic ${secret}=` } }, 'headers.Authorization', '${NAME}'],
  ['extra_body', { extra_body: { auth: { api_key: secret } } }, 'extra_body.auth.api_key', 'under headers'],
  ['extra_body by what it looks like', { extra_body: { user: `sk-${secret}` } }, 'extra_body.user', 'under headers'],
  ['the password of base_url', { base_url: `http://me:${secret}@host/v1` }, 'base_url', 'api_key_env'],
  ['a key in the query of base_url', { base_url: `http://host/v1?api-key=${secret}` }, 'base_url', 'api_key_env'],
  ['a key in place of its variable', { api_key_env: `sk-proj-${secret}` }, 'api_key_env', "the variable's name"],
  ['one that could be a name', { api_key_env: `aB3${secret}${secret}` }, 'api_key_env', "the variable's name"],
  ['the name of a model', { model: `sk-${secret}` }, 'model', '${NAME}'],
  ['a value of the wrong kind', { temperature: `sk-${secret}` }, 'temperature', ''],
  ...servers.map(([what, keys, key, instead]): Place => {
    const server = { name: 'a', ...(!('url' in keys) && { command: 'x' }), ...keys };
    return [what, { mcp_servers: [server] }, `mcp_servers[0].${key}`, instead];
  }),
];

const kinds: Array<[kind: string, at: string, wrap: (backend: Backend) => object]> = [
  ['an agent of a team', 'agents[0].backend.', (backend) => ({ agents: [{ id: 'a', backend }] })],
  ['a final agent', 'final_agent.backend.', (backend) => ({ final_agent: { backend } })],
  ['research', 'research.criticism.backend.', (backend) => ({ research: { criticism: { backend } } })],
  ['a plan', 'plan.executor.backend.', (backend) => ({ plan: { executor: { backend } } })],
];

test.each(
  kinds.flatMap(([kind, at, wrap]) => places.map(([what, ...rest]) => [kind, what, at, wrap, ...rest] as const)),
)('in %s a secret is refused, and never shown: %s', (_, __, at, wrap, backend, key, instead) => {
  const checked = checkConfig(wrap({ type: 'chatcompletion', ...backend }));
  const problems = checked.ok ? [] : checked.problems.map((problem) => problemText(problem));
  expect(problems.filter((problem) => problem.startsWith(`${at}${key}:`))).toEqual([
    expect.stringContaining(instead) as string,
  ]);
  expect(problems.join('\n')).not.toContain(secret);
});

test('so it is in a module of one agent', () => {
  const config = { api_key_env: `sk-${secret}` };
  const checked = checkConfig({ modules: [{ module: 'OpenAILLM', id: 'llm', config }], exchange: [] });
  const problems = checked.ok ? [] : checked.problems.map((problem) => problemText(problem));
  expect(problems).toContainEqual(expect.stringContaining('modules[0].config.api_key_env: is no name of a variable'));
  expect(problems.join('\n')).not.toContain(secret);
});

test('what names a variable, or is no secret, is left alone', () => {
  const backend = {
    type: 'chatcompletion',
    model: 'm',
    base_url: 'https://host:8443/v1?api-version=2026-01',
    api_key_env: 'MY_GATEWAY_KEY_2026',
    headers: { Authorization: 'Bearer ${GATE}', 'X-Api-Key': '${GATE}', 'X-Title': 'Notes' },
    extra_body: { stop_token: '<|endoftext|>', key: 'value', max_tokens: 5, metadata: { token: 'a word' } },
    mcp_servers: [
      {
        name: 'a',
        command: 'npx',
        args: ['-y', 'server', '--token', '--max-tokens=100', '--token=${T}'],
        env: { TOKEN: '${T}', MAX_TOKEN: '10' },
      },
      { name: 'b', url: 'https://host/mcp?page=1', headers: { Authorization: '${T}' } },
    ],
  };
  const checked = checkConfig({ agents: [{ id: 'a', backend }] });
  expect(checked.ok ? [] : checked.problems).toEqual([]);
});

test('a text that seems to hold a secret is a warning, which does not show it', () => {
  const checked = checkConfig({ agents: [{ id: 'a', system_message: `Use the key sk-${secret}.` }] });
  expect(checked.ok && ignoredKeys(...partsOf(checked.value))).toEqual([
    'agents[0].system_message: holds what looks like a secret, which models and all who read the run will see',
  ]);
});
