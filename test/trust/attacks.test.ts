import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/util/environment.ts';
import { signed } from '../../src/trust/signature.ts';
import { inRun, machine, refusalOf, variables, worker } from './stages.ts';

const here = machine();
afterAll(() => here[Symbol.dispose]());

const solve = (attachments: unknown[]) => ({ problem: 'P', attachments });
const askWith = (backend: object) => ({ task: 'T', config: { agents: [{ id: 'a', backend }] } });
const compatible = (base_url: string) => askWith({ type: 'chatcompletion', model: 'm', base_url });

/** JSON as somebody writes it by hand, with what no object literal has. */
const raw = (text: string): unknown => JSON.parse(text);

describe('files below an allowed folder may be named, and no others', () => {
  mkdirSync(join(here.shared, 'deep'));
  symlinkSync(here.root, join(here.shared, 'up'));
  symlinkSync(here.secretFile, join(here.shared, 'paper-2.txt'));
  symlinkSync(join(here.shared, 'round'), join(here.shared, 'round'));
  symlinkSync(join(here.shared, 'paper.txt'), join(here.shared, 'same.txt'));
  writeFileSync(join(here.home, 'secret.txt'), 'x');
  mkdirSync(`${here.shared}-2`);
  writeFileSync(`${here.shared}-2/x.txt`, 'x');
  const permissive = worker(here, [`files=${here.shared}`]);

  test.each([
    join(here.shared, 'paper.txt'),
    join(here.shared, 'same.txt'),
    `${here.shared}/./paper.txt`,
    '../shared/paper.txt',
  ])('%s is let in', async (path) => {
    await expect(permissive.prepare('planAndExecute', solve([path]))).resolves.toMatchObject({ problem: 'P' });
  });

  test.each([
    ['a file beside it', here.secretFile],
    ['a folder with the same beginning', `${here.shared}-2/x.txt`],
    ['two dots', `${here.shared}/../diary.txt`],
    ['two dots behind a folder', `${here.shared}/deep/../../diary.txt`],
    ['a link to a file', join(here.shared, 'paper-2.txt')],
    ['a link to a folder', join(here.shared, 'up', 'diary.txt')],
    ['two dots behind a folder that is allowed', `${here.shared}/deep/../paper.txt`],
    ['a link and two dots', `${here.shared}/up/../etc/passwd`],
    ['a link in a circle', join(here.shared, 'round')],
    ['a NUL', `${join(here.shared, 'paper.txt')}\0.png`],
    ['what is not there, outside', join(here.root, 'nothing', 'here.txt')],
    ['another case', here.secretFile.toUpperCase()],
    ['a file address', `file://${here.secretFile}`],
    ['the process', '/proc/self/environ'],
    ['the home', join(here.home, 'secret.txt')],
  ])('%s is refused', async (_, path) => {
    for (const attachment of [path, { path, name: 'paper.txt' }])
      expect(await refusalOf(permissive.prepare('planAndExecute', solve([attachment])))).toContain(
        'attachments[0]: an input may not ',
      );
  });

  test('the home folder stays closed though everything is allowed, and so does a folder that holds it', async () => {
    const all = worker(here, ['files=/']);
    const ofHome = all.prepare('planAndExecute', solve([join(here.home, 'secret.txt')]));
    expect(await refusalOf(ofHome)).toContain('attachments[0]: an input may not ');
    const search = (folder: string) =>
      all.prepare('research', { idea: 'I', config: { research: { search: { provider: 'folder', folder } } } });
    expect(await refusalOf(search(here.root))).toContain('search.folder: an input may not ');
    expect(await refusalOf(search(here.shared))).toBe('');
  });

  test('attachments with their content in them need no leave', async () => {
    const data = Buffer.from('x').toString('base64');
    const input = solve([{ name: '../../etc/passwd', data }]);
    await expect(worker(here).prepare('planAndExecute', input)).resolves.not.toHaveProperty('attachmentsSeal');
  });

  test('an attachment that has both content and a path is no attachment', async () => {
    const both = solve([{ name: 'a', data: 'eA==', path: here.secretFile }]);
    expect(await refusalOf(worker(here).prepare('planAndExecute', both))).toContain('attachments[0]');
  });
});

describe('addresses at allowed hosts may be named, and no others', () => {
  const permissive = worker(here, ['hosts=llm.example,[::1]:8000,127.0.0.1:8000']);

  test.each([
    'http://llm.example/v1',
    'https://llm.example:8443/v1',
    'HTTPS://LLM.EXAMPLE/v1',
    'http://[::1]:8000/v1',
    'http://[0:0:0:0:0:0:0:1]:8000/v1',
    'http://127.1:8000/v1',
  ])('%s is let in, and gets no key', async (address) => {
    await expect(permissive.prepare('orchestration', compatible(address))).resolves.toMatchObject({
      team: { agents: [{ backend: { base_url: address } }] },
    });
  });

  const addresses = `http://evil.example/v1 http://llm.example@evil.example/v1 http://me:pw@llm.example/v1 http://llm.example./v1
    http://llm.example.evil.example/v1 http://xllm.example/v1 http://evil.example#@llm.example/
    http://evil.example?llm.example http:evil.example/v1 http://127.0.0.1:8001/v1 http://[::ffff:127.0.0.1]:8000/v1
    http://[::1]/v1 http://llm。example.evil.example http://ⅼⅼm.evil.example http://2130706433:9000/
    ftp://llm.example/v1 file:///etc/passwd javascript:alert(1) gopher://llm.example/
    https://api.openai.com.evil.example/v1 https://api.openai.com@evil.example/v1 https://api.openai.com:444/v1
    https://api.openai.com/v1/../../other http://api.openai.com/v1`;
  test.each([...addresses.split(/\s+/), 'http://evil.example\\@llm.example/', ' http://evil.example/v1'])(
    '%s is refused',
    async (address) => {
      const refusal = await refusalOf(permissive.prepare('orchestration', compatible(address)));
      expect(refusal).toContain('config.agents[0].backend.base_url: ');
    },
  );

  test.each(['["http://evil.example"]', '{"url":"http://llm.example"}', '7', 'true'])(
    'what is no text is no address: %s',
    async (text) => {
      const backend = { type: 'chatcompletion', model: 'm', base_url: raw(text) };
      expect(await refusalOf(permissive.prepare('orchestration', askWith(backend)))).toContain('base_url');
    },
  );
});

describe('a key goes where the worker sends it, and nowhere else', () => {
  const hosts = ['hosts=*'];
  const own = { type: 'chatcompletion', model: 'm', base_url: 'https://llm.corp.example/v1', api_key_env: 'CORP_KEY' };
  const environment: Environment = { ...variables, CORP_KEY: 'corporate', OPENROUTER_API_KEY: 'router' };
  const permissive = worker(here, hosts, environment);
  writeFileSync(join(here.configFolder, 'corp.yaml'), JSON.stringify({ agents: [{ id: 'a', backend: own }] }));

  test.each([
    ['the provider of the type', { type: 'openai', api_key_env: 'OPENAI_API_KEY' }],
    ['the same by its address', { type: 'openai', base_url: 'https://api.openai.com/v1/' }],
    [
      'a known server',
      {
        type: 'chatcompletion',
        model: 'm',
        base_url: 'https://openrouter.ai/api/v1',
        api_key_env: 'OPENROUTER_API_KEY',
      },
    ],
    ['a server of a configuration of the worker', own],
    ['a server that gets no key', { type: 'chatcompletion', model: 'm', base_url: 'http://other.example/v1' }],
  ])('%s may be named', async (_, backend) => {
    await expect(permissive.prepare('orchestration', askWith(backend))).resolves.toHaveProperty('team');
  });

  test.each([
    ['a key of a provider to another', { type: 'claude', api_key_env: 'OPENAI_API_KEY' }],
    ['no key of its own', { type: 'openai', base_url: 'http://other.example/v1' }],
    ['a key of a provider to a host', { ...own, base_url: 'http://other.example/v1', api_key_env: 'OPENAI_API_KEY' }],
    ['a key of the worker to another host', { ...own, base_url: 'http://other.example/v1' }],
    ['a key of a known server to another', { ...own, api_key_env: 'OPENROUTER_API_KEY' }],
    ['any variable', { ...own, base_url: 'http://other.example/v1', api_key_env: 'AWS_SECRET_ACCESS_KEY' }],
    ['a prototype', { ...own, api_key_env: '__proto__' }],
    ['a constructor', { ...own, api_key_env: 'constructor' }],
    ['a variable in a header', { ...own, headers: { a: 'x${OPENAI_API_KEY}' } }],
  ])('%s is refused', async (_, backend) => {
    expect(await refusalOf(permissive.prepare('orchestration', askWith(backend)))).toContain(': an input may not ');
  });

  test('the variable of the worker gives the address of its provider, and not the public one', async () => {
    const proxied = worker(here, [], { ...variables, OPENAI_BASE_URL: 'http://proxy.example/v1' });
    const direct = askWith({ type: 'openai', base_url: 'https://api.openai.com/v1' });
    expect(await refusalOf(proxied.prepare('orchestration', direct))).toContain('base_url: an input may not');
    const named = askWith({ type: 'openai', base_url: 'http://proxy.example/v1' });
    await expect(proxied.prepare('orchestration', named)).resolves.toHaveProperty('team');
  });
});

describe('a configuration is named by its file in the folder of the worker', () => {
  const outside = { agents: [{ id: 'spy', backend: { type: 'offline', folder: '/etc' } }] };
  writeFileSync(join(here.root, 'evil.yaml'), JSON.stringify(outside));
  writeFileSync(join(here.configFolder, 'files', 'below.yaml'), JSON.stringify(outside));
  symlinkSync(join(here.root, 'evil.yaml'), join(here.configFolder, 'link.yaml'));
  writeFileSync(join(here.configFolder, 'own.yaml'), JSON.stringify(outside));
  symlinkSync(join(here.configFolder, 'own.yaml'), join(here.configFolder, 'alias.yaml'));
  writeFileSync(
    join(here.configFolder, 'bomb.yaml'),
    `a: &a [1,1,1,1,1,1,1,1,1]\n${'b c d e f g h i'
      .split(' ')
      .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`)
      .join('\n')}\n`,
  );
  const strict = worker(here);

  test.each(['own', 'own.yaml', 'alias'])('%s is the own one, and may reach beyond', async (config) => {
    await expect(strict.prepare('orchestration', { task: 'T', config })).resolves.toMatchObject({
      team: { agents: [{ id: 'spy', backend: { folder: '/etc', seal: expect.any(String) } }] },
    });
  });

  test.each([
    '../evil',
    '../evil.yaml',
    './own.yaml',
    'files/below',
    'files/below.yaml',
    'files\\below.yaml',
    '/etc/passwd',
    `${here.root}/evil.yaml`,
    'own.yaml\0',
    'own\0.yaml',
    '..',
    '.',
    'link',
    'link.yaml',
    '%2e%2e/evil',
    '__proto__',
    'toString',
  ])('%j leads nowhere', async (config) => {
    const refusal = await refusalOf(strict.prepare('orchestration', { task: 'T', config }));
    expect(refusal).toMatch(
      /^config: (there is no configuration named .* in the worker's folder \/|link\.yaml is a link that leads out)/,
    );
  });

  test('aliases that grow without end are refused', async () => {
    expect(await refusalOf(strict.prepare('orchestration', { task: 'T', config: 'bomb' }))).toMatch(/alias|bomb/i);
  });

  test('what stands beside the name is not trusted with it', async () => {
    writeFileSync(join(here.configFolder, 'plan.yaml'), JSON.stringify({ plan: {} }));
    const input = { problem: 'P', config: 'plan', attachments: ['/etc/passwd'] };
    expect(await refusalOf(strict.prepare('planAndExecute', input))).toContain('attachments[0]: an input may not');
  });
});

describe('keys that mean something to JavaScript mean nothing here', () => {
  test.each([
    ['a prototype of a backend', '{"agents":[{"id":"a","backend":{"type":"offline","__proto__":{"folder":"/etc"}}}]}'],
    ['a prototype of the configuration', '{"__proto__":{"agents":[{"id":"a","tool_packages":["tools.x"]}]}}'],
    [
      'a constructor',
      '{"agents":[{"id":"a","backend":{"type":"offline","constructor":{"prototype":{"folder":"/"}}}}]}',
    ],
    ['a list in place of a mapping', '{"agents":[{"id":"a","backend":[{"type":"claude_code"}]}]}'],
    ['a mapping in place of a list', '{"agents":{"0":{"id":"a","backend":{"type":"claude_code"}}}}'],
    ['an agent in a list of lists', '{"agents":[[{"id":"a","backend":{"type":"claude_code"}}]]}'],
    ['a seal of its own', '{"agents":[{"id":"a","backend":{"type":"offline","folder":"/etc","seal":"x"}}]}'],
    ['seals of its own', '{"agents":[{"id":"a","tool_packages":["tools.x"],"seals":{"tools.x":"x"}}]}'],
    ['a key twice', '{"agents":[{"id":"a","backend":{"type":"offline"},"backend":{"type":"offline","folder":"/"}}]}'],
    ['another case', '{"agents":[{"id":"a","backend":{"type":"offline","FOLDER":"/etc"}}]}'],
  ])('%s', async (_, config) => {
    const input = { task: 'T', config: raw(config) };
    const result = await worker(here)
      .prepare('orchestration', input)
      .catch((error: unknown) => error as Error);
    if (result instanceof Error) expect(result.message).toMatch(/config/);
    else expect(JSON.stringify(result)).not.toMatch(/"folder"|claude_code|tools\.x/);
    expect(({} as Record<string, unknown>)['folder']).toBeUndefined();
  });

  test('an input that is nested deeply is refused, not followed to its bottom', async () => {
    const deep = raw(`{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`);
    const backend = { type: 'openai', extra_body: deep };
    expect(await refusalOf(worker(here).prepare('orchestration', askWith(backend)))).toMatch(/more than 200 objects/);
  });
});

describe('a signature', () => {
  const run = { namespace: 'default', workflowType: 'orchestration', workflowId: 'q1' };
  const reaching = { task: 'T', config: { agents: [{ id: 'a', backend: { type: 'offline', folder: here.shared } }] } };
  const own = signed(reaching, run, here.home);

  test('of the home makes an input trusted', async () => {
    await expect(worker(here).prepare('orchestration', own)).resolves.toMatchObject({
      team: { agents: [{ backend: { folder: here.shared } }] },
    });
  });

  test('does not depend on the order of keys', async () => {
    const { config, signature, task } = own;
    const [agent] = config.agents;
    const backend = { folder: agent?.backend.folder, type: agent?.backend.type };
    const reordered = { signature, config: { agents: [{ backend, id: 'a' }] }, task };
    await expect(worker(here).prepare('orchestration', reordered)).resolves.toHaveProperty('team');
  });

  test('is not made where nothing reaches beyond', () => {
    const harmless = { task: 'T', config: { agents: [{ id: 'a', system_message: 'Be brief.' }] } };
    expect(signed(harmless, run, here.home)).toBe(harmless);
  });

  const foreign = machine();
  afterAll(() => foreign[Symbol.dispose]());
  const session = { config: reaching.config, text: 'T' };

  test.each([
    ['none', { ...own, signature: undefined }],
    ['an empty one', { ...own, signature: '' }],
    ['half of it', { ...own, signature: own.signature?.slice(0, 20) }],
    ['no text', { ...own, signature: [own.signature] }],
    ['another task', { ...own, task: 'Another' }],
    ['one key more', { ...own, history: [] }],
    ['a stripped key', { ...own, task: 'T', config: { agents: [{ id: 'a', backend: { folder: here.shared } }] } }],
    ['one agent more', { ...own, config: { agents: [...own.config.agents, { id: 'b' }] } }],
    ['another home', signed(reaching, run, foreign.home)],
    ['another id', signed(reaching, { ...run, workflowId: 'q2' }, here.home)],
    ['another namespace', signed(reaching, { ...run, namespace: 'n' }, here.home)],
    ['another type', { ...own, signature: signed(session, { ...run, workflowType: 'session' }, here.home).signature }],
  ])('of %s makes none', async (_, input) => {
    expect(await refusalOf(worker(here).prepare('orchestration', input))).toMatch(
      /backend\.folder: an input may not|signature|backend\.type/,
    );
  });

  test('that is wrong says whose it would have to be', async () => {
    const refusal = await refusalOf(worker(here).prepare('orchestration', signed(reaching, run, foreign.home)));
    expect(refusal).toContain('whoever signs needs the same REPRISE_HOME');
  });

  test('that nobody needs does no harm', async () => {
    const prepared = worker(here).prepare('orchestration', { task: 'T', signature: 'x' });
    await expect(prepared).resolves.not.toHaveProperty('signature');
  });

  test('of a run that is known by its history is of no use for another', async () => {
    const strict = worker(here);
    expect(await refusalOf(strict.prepare('orchestration', own, { workflowId: 'mine' }))).toContain('an input may not');
    expect(await refusalOf(strict.prepare('orchestration', own, { namespace: 'mine' }))).toContain('an input may not');
    expect(await refusalOf(inRun({}, 'orchestration', () => Promise.resolve()))).toBe('');
  });
});
