import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createActivities } from '../../src/activities/activities.ts';
import type { Activities } from '../../src/protocol/activities.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import type { PreparedOrchestration } from '../../src/protocol/orchestration.ts';
import type { PreparedSolve } from '../../src/protocol/plan-and-execute.ts';
import type { PreparedResearch } from '../../src/protocol/research.ts';
import type { ToolSource } from '../../src/protocol/tools/tool.ts';
import { signed } from '../../src/trust/signature.ts';
import { readDefinitions } from '../../src/tools/read-definitions.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { activityBench, testCaller } from '../support/activity-bench.ts';
import { inRun, machine, refusalOf, variables, worker, type RunOf } from './stages.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const bench = activityBench();
const here = machine();
afterAll(async () => {
  await bench.close();
  here[Symbol.dispose]();
});

/** What the activities of a worker have done that they were asked for. */
const done: string[] = [];

/** Where tools come from, by a name that no other source's tool has. */
const nameOf = (source: ToolSource): string =>
  `act_${'mcp' in source ? source.mcp.name : source.package}`.replaceAll('.', '_');

const toolIn = (source: ToolSource): Tool[] => {
  const parameters = { type: 'object' };
  return readDefinitions([{ name: nameOf(source), description: 'Acts.', parameters, execute: () => 'acted' }]).tools;
};

function activitiesOf(allow: string[] = []): Activities {
  const { guard } = worker(here, allow);
  return createActivities({
    store: bench.store,
    guard,
    openModel(backend) {
      done.push(`asked ${JSON.stringify(backend)}`);
      return {
        complete: () =>
          Promise.resolve({
            message: { role: 'assistant', content: 'Hello' },
            finish: 'stop',
            usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
          }),
      };
    },
    tools: {
      async tools(source) {
        done.push(`loaded ${JSON.stringify(source)}`);
        return toolIn(source);
      },
      close: async () => {},
    },
    environment: variables,
    configFolder: here.configFolder,
    orchestrators: noOrchestrators,
    namespace: { hasQuestion: false },
    prices: {},
  });
}

const strict = activitiesOf();
const { prepare } = worker(here);

const server = { name: 's', command: 'sh', args: ['-c', 'id'] };
const remote: Backend = {
  type: 'openai',
  base_url: 'http://metadata.example/v1',
  api_key_env: 'AWS_SECRET_ACCESS_KEY',
};

/** The input of a run of the owner's. */
const input = {
  task: 'T',
  config: {
    agents: [{ id: 'a', backend: { ...remote, cwd: 'files', mcp_servers: [server] }, tool_packages: ['tools.own'] }],
    orchestrator: { snapshot_storage: 'kept' },
  },
};

/** The run as its worker has prepared it. */
const owned = async (run: RunOf = {}): Promise<PreparedOrchestration> => {
  const { namespace = 'default', workflowId = 'q1' } = run;
  const at = { namespace, workflowId, workflowType: 'orchestration' };
  return (await prepare('orchestration', signed(input, at, here.home), run)) as PreparedOrchestration;
};

const preparedResearch = async (): Promise<PreparedResearch> => {
  const research = { search: { provider: 'folder', folder: here.root }, github_issue: { repo: 'me/mine' } };
  const at = { namespace: 'default', workflowId: 'q1', workflowType: 'research' };
  return (await prepare('research', signed({ idea: 'I', config: { research } }, at, here.home))) as PreparedResearch;
};

const attachments = [here.secretFile];
const preparedSolve = async (): Promise<PreparedSolve> => {
  const at = { namespace: 'default', workflowId: 'q1', workflowType: 'planAndExecute' };
  return (await prepare('planAndExecute', signed({ problem: 'P', attachments }, at, here.home))) as PreparedSolve;
};

const call = { transcript: null, append: [{ role: 'user' as const, content: 'Hi' }], tools: null, caller: testCaller };
const listed = (source: ToolSource) => ({
  name: nameOf(source),
  source,
  sideEffects: 'undeclared' as const,
  timeout: 10,
});
const callOf = (source: ToolSource) => ({ tool: listed(source), arguments: {}, agent: 'agent_a', caller: testCaller });

const kept = [{ path: ['final'], tree: null }];

interface Asked {
  what: string;
  /** Asks as the run of the owner does. */
  owner: () => Promise<unknown>;
  /** Asks for the same without what the owner's worker has sealed. */
  stranger: () => Promise<unknown>;
  allow: string;
}

const asked: Asked[] = [
  {
    what: 'callModel',
    owner: async () => strict.callModel({ ...call, backend: (await owned()).team.agents[0]?.backend ?? remote }),
    stranger: () => strict.callModel({ ...call, backend: remote }),
    allow: 'hosts=metadata.example',
  },
  {
    what: 'listTools of a server',
    owner: async () => strict.listTools({ sources: toolsOf(await owned()), own: [] }),
    stranger: () => strict.listTools({ sources: { packages: [], mcpServers: [server] }, own: [] }),
    allow: 'commands',
  },
  {
    what: 'listTools of a module',
    owner: async () => strict.listTools({ sources: { ...toolsOf(await owned()), mcpServers: [] }, own: [] }),
    stranger: () => strict.listTools({ sources: { packages: ['tools.own'], mcpServers: [] }, own: [] }),
    allow: 'modules',
  },
  {
    what: 'callTool of a server',
    owner: async () => strict.callTool(callOf({ mcp: toolsOf(await owned()).mcpServers[0] ?? server })),
    stranger: () => strict.callTool(callOf({ mcp: server })),
    allow: 'commands',
  },
  {
    what: 'callTool of a module',
    async owner() {
      const sources = { ...toolsOf(await owned()), mcpServers: [] };
      const { tools } = await strict.listTools({ sources, own: [] });
      return strict.callTool(callOf(tools[0]?.source ?? { package: '' }));
    },
    stranger: () => strict.callTool(callOf({ package: 'tools.own' })),
    allow: 'modules',
  },
  {
    what: 'search',
    owner: async () => strict.search({ query: 'diary', number: 1, search: (await preparedResearch()).settings.search }),
    stranger: () =>
      strict.search({
        query: 'diary',
        number: 1,
        search: { provider: 'folder', folder: here.root, max_results: 1, read_pages: 0 },
      }),
    allow: 'files=DIR',
  },
  {
    what: 'openIssue',
    async owner() {
      const { github_issue } = (await preparedResearch()).settings;
      const issue = { reportId: 'none', repo: '', labels: [], ...github_issue };
      // GitHub is not asked for a report that there is none of.
      await strict.openIssue(issue).catch((error: Error) => {
        if (error.message !== 'The store has no report none') throw error;
      });
    },
    stranger: () => strict.openIssue({ reportId: 'none', repo: 'someone/elses', labels: [] }),
    allow: 'hosts=api.github.com',
  },
  {
    what: 'storeAttachments',
    owner: async () => strict.storeAttachments({ attachments, seal: (await preparedSolve()).attachmentsSeal ?? '' }),
    stranger: () => strict.storeAttachments({ attachments }),
    allow: 'files=DIR',
  },
  {
    what: 'importFolders',
    async owner() {
      const { folderSeals = {}, folders = {} } = await owned();
      return strict.importFolders(Object.values(folders), folderSeals);
    },
    stranger: () => strict.importFolders(['.']),
    allow: 'files=DIR',
  },
  {
    what: 'exportFiles',
    owner: async () => strict.exportFiles('kept', '', kept, (await owned()).team.snapshotSeal),
    stranger: () => strict.exportFiles('tools', '', [{ path: ['x.ts'], tree: null }]),
    allow: 'files=DIR',
  },
];

const toolsOf = ({ team }: PreparedOrchestration) => team.agents[0]?.tools ?? { packages: [], mcpServers: [] };

describe('an activity does', () => {
  test.each(asked)('$what for a run whose input the owner has signed', async ({ owner }) => {
    expect(await refusalOf(inRun({}, 'orchestration', owner))).toBe('');
  });

  test.each(asked)(
    'not $what for whoever asks the activity itself, and names the flag',
    async ({ allow, stranger }) => {
      const before = done.length;
      const failure = await inRun({}, 'orchestration', stranger).catch((error: unknown) => error);
      expect(failure).toMatchObject({ type: 'NotAllowed', nonRetryable: true });
      expect((failure as Error).message).toContain(`--allow ${allow}`);
      expect((failure as Error).message).toContain('it has no seal');
      expect(done.slice(before)).toEqual([]);
    },
  );

  test.each(asked.filter(({ what }) => what !== 'listTools of a module'))(
    'not $what for another run that has found the seal in a history',
    async ({ owner }) => {
      const stolen = inRun({ workflowId: 'q1' }, 'orchestration', owner);
      await stolen;
      const before = done.length;
      // What the owner's run was given is asked for by a run of another id.
      const other = inRun({ workflowId: 'mine' }, 'orchestration', owner);
      expect(await refusalOf(other)).toContain('its seal is that of another run');
      expect(done.slice(before)).toEqual([]);
    },
  );
});

test('a seal is for just what it was made for', async () => {
  const { backend } = (await owned()).team.agents[0] ?? {};
  const ask = (changes: Partial<Backend>, run: RunOf = {}) =>
    refusalOf(inRun(run, 'x', () => strict.callModel({ ...call, backend: { ...(backend ?? remote), ...changes } })));
  expect(await ask({})).toBe('');
  // What reaches nothing may change while a run goes on.
  expect(await ask({ temperature: 1.5 })).toBe('');
  for (const changes of [
    { base_url: 'http://evil.example/v1' },
    { api_key_env: 'OPENAI_API_KEY' },
    { headers: { a: '${AWS_SECRET_ACCESS_KEY}' } },
    { seal: 'x' },
    { type: 'claude' as const },
  ])
    expect(await ask(changes)).toMatch(/its seal is that of another run|may not/);
  expect(await ask({}, { workflowId: 'q2' })).toContain('its seal is that of another run');
  expect(await ask({}, { namespace: 'other' })).toContain('its seal is that of another run');
});

test('what needs no leave is done for anybody, and has no seal', async () => {
  const prepared = (await prepare('orchestration', {
    task: 'T',
    config: { agents: [{ id: 'a' }] },
  })) as PreparedOrchestration;
  expect(JSON.stringify(prepared)).not.toContain('seal');
  const backend = prepared.team.agents[0]?.backend ?? remote;
  expect(await refusalOf(inRun({}, 'x', () => strict.callModel({ ...call, backend })))).toBe('');
  const sources = { packages: ['builtin.calculator'], mcpServers: [] };
  expect(await refusalOf(inRun({}, 'x', () => strict.listTools({ sources, own: [] })))).toBe('');
});

test('what is allowed to anybody is done without a seal', async () => {
  const permissive = activitiesOf(['commands', 'modules', `files=${here.root}`]);
  const sources = { packages: ['tools.own'], mcpServers: [server] };
  const others = await refusalOf(inRun({}, 'x', () => permissive.listTools({ sources, own: [] })));
  expect(await refusalOf(inRun({}, 'x', () => permissive.storeAttachments({ attachments })))).toBe('');
  expect(others).toBe('');
});

test('a seal that is made up gets nothing that is allowed to anybody the keys of the worker', async () => {
  const permissive = activitiesOf(['hosts=metadata.example']);
  const seal = 'made up';
  const mcp = { name: 's', url: 'http://metadata.example/', seal };
  const backend: Backend = { type: 'chatcompletion', base_url: 'http://metadata.example/v1', model: 'm', seal };
  const before = done.length;
  const asks: Array<() => Promise<unknown>> = [
    () => permissive.callModel({ ...call, backend }),
    () => permissive.listTools({ sources: { packages: [], mcpServers: [mcp] }, own: [] }),
    () => permissive.callTool(callOf({ mcp })),
  ];
  for (const ask of asks) expect(await refusalOf(inRun({}, 'x', ask))).toBe('');
  expect(done.length - before).toBeGreaterThanOrEqual(3);
  expect(done.slice(before).join()).not.toContain(seal);
});

test('nobody learns by an orchestrator’s name what files there are', async () => {
  symlinkSync(here.root, join(here.configFolder, 'up'));
  writeFileSync(join(here.root, 'other.ts'), 'export const handleText = 1;');
  for (const file of ['../other.ts', '/etc/passwd', './../other.ts', './x/../../other.ts'])
    expect(await refusalOf(inRun({}, 'x', () => strict.findOrchestrator(file)))).toMatch(/leaves|no path of a module/);
});

test('an activity that belongs to no workflow gets nothing that reaches beyond', async () => {
  const run = { workflowId: '' };
  expect(await refusalOf(inRun(run, '', () => strict.callTool(callOf({ mcp: server }))))).toContain('--allow commands');
});
