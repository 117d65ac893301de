import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { issue } from '../../src/serve/access.ts';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { httpClient, stdioClient, type Form, type McpClient } from '../support/mcp-client.ts';
import type { Script } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { ownerToken, serving } from '../support/serving.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const write = ({ home }: SharedRunning, name: string, config: object): void =>
  writeFileSync(join(home, `${name}.yaml`), stringify(config));

/** A worker whose folder has a team of one, one that asks, and an agent whose tool needs approval. */
function begun(script: Script): SharedRunning {
  const run = running(script);
  writeKit(run.home);
  write(run, 'plain', teamOf(['agent1'], { type: 'openai' }));
  write(run, 'asking', askingTeam(600));
  write(run, 'acting', agentOf('openai', { simple: {} }, ['kit'], { attended: true }));
  return run;
}

const acts: Script = inTurn([call('write', { text: 'one' }), { text: 'Done.' }]);
const red = { action: 'accept' as const, content: { text: 'red' } };

test('a client finds five tools, whose schemas name the configurations and say which only look', async () => {
  await using server = await serving(begun(teamScript()));
  await using mcp = await httpClient(server.url);
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['ask_team', 'research', 'solve', 'answer', 'status']);
  const [askTeam] = tools;
  expect(JSON.stringify(askTeam?.inputSchema)).toContain('reprise, acting, asking, plain');
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint ?? false)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(tools.every(({ outputSchema }) => outputSchema?.['type'] === 'object')).toBe(true);
});

describe.each(['modern', 'legacy'] as const)('a client of the %s generation', (era) => {
  const both: Array<
    [string, (run: SharedRunning, fill?: (form: Form) => typeof red) => Promise<McpClient & { end(): Promise<void> }>]
  > = [
    [
      'over HTTP',
      async (run, fill) => {
        const server = await serving(run);
        const mcp = await httpClient(server.url, { era, ...(fill && { fill }) });
        return { ...mcp, end: async () => (await mcp.client.close(), server[Symbol.asyncDispose]()) };
      },
    ],
    [
      'over stdio',
      async (run, fill) => {
        const server = await serving(run);
        const mcp = await stdioClient(server.served, { era, ...(fill && { fill }) });
        return {
          ...mcp,
          async end() {
            mcp.leave();
            await mcp.ended;
            for (const line of mcp.written.join('').trim().split('\n'))
              expect(JSON.parse(line)).toHaveProperty('jsonrpc');
            await server[Symbol.asyncDispose]();
          },
        };
      },
    ],
  ];
  describe.each(both)('%s', (transport, open) => {
    test('gets the answer of a team, with its progress before, and finds it again by its id', async () => {
      const run = begun(teamScript());
      const mcp = await open(run);
      const asked = { task: 'Why?', configuration: 'plain', id: `why-${era}-${transport.replace(' ', '-')}` };
      const { isError, text, view } = await mcp.call('ask_team', asked);
      expect(text).toContain('The final answer, by agent1.');
      expect({ isError, view }).toMatchObject({ isError: false, view: { run: asked.id, state: 'completed' } });
      expect(mcp.progress.join('\n')).toMatch(/^\S+: \[agent1\] answer 1[\s\S]*Done: submitted/m);
      const { length } = run.model.requests;
      expect((await mcp.call('ask_team', asked)).view).toEqual(view);
      expect((await mcp.call('status', { run: asked.id })).view).toEqual(view);
      expect(run.model.requests.length).toBe(length);
      await mcp.end();
    });

    test('is told what a run waits for and how to settle it, and settles it', async () => {
      const mcp = await open(begun(asks('Which colour?')));
      const { text, view } = await mcp.call('ask_team', { task: 'Paint.', configuration: 'asking' });
      expect(view).toMatchObject({ state: 'waiting', waits: [{ kind: 'question', from: 'agent_a' }] });
      expect(text).toContain(
        `answer {"run": "${view['run']}", "question": "${view['waits'][0].questionId}", "text": "…"`,
      );
      const answered = await mcp.call('answer', { run: view['run'], text: 'red' });
      expect(answered.text).toContain('Told: red.');
      await mcp.end();
    });

    const fills = era === 'modern' || transport === 'over stdio';
    test(`has its person ${fills ? 'fill in a form' : 'asked by its model, since nothing can be asked over it'}`, async () => {
      const forms: Form[] = [];
      const mcp = await open(begun(asks('Which colour?', 'Which shade?')), (form) => (forms.push(form), red));
      const { text } = await mcp.call('ask_team', { task: 'Paint.', configuration: 'asking' });
      expect(text).toContain(fills ? 'Told: red.' : 'Which colour?');
      const messages = [/^agent_a .*Which colour\?$/, /^agent_a .*Which shade\?$/].map((each) =>
        expect.stringMatching(each),
      );
      expect(forms.map(({ message }) => message)).toEqual(fills ? messages : []);
      await mcp.end();
    });
  });
});

test('a form that its person closes leaves the question, and one that they decline skips it', async () => {
  const run = begun(asks('Which colour?'));
  await using server = await serving(run);
  await using closing = await httpClient(server.url, { fill: () => ({ action: 'cancel' }) });
  const { view } = await closing.call('ask_team', { task: 'Paint.', configuration: 'asking' });
  expect(view['state']).toBe('waiting');
  await using declining = await httpClient(server.url, { fill: () => ({ action: 'decline' }) });
  const skipped = await declining.call('status', { run: view['run'], wait: 30 });
  expect(skipped.text).toContain('Told: nothing.');
});

test('a tool of an agent runs once it is allowed, and what is no decision is refused with the choices', async () => {
  await using server = await serving(begun(acts));
  await using mcp = await httpClient(server.url);
  const { view } = await mcp.call('ask_team', { task: 'Go.', configuration: 'acting' });
  expect(view['waits']).toMatchObject([{ kind: 'tool', question: expect.stringContaining('"text": "one"') }]);
  const asked = { run: view['run'], question: view['waits'][0].questionId };
  expect(await mcp.call('answer', { ...asked, text: 'yes' })).toMatchObject({
    isError: true,
    text: 't1 is settled by decision: allow, always, deny',
  });
  expect((await mcp.call('answer', { ...asked, decision: 'allow' })).text).toContain('Done.');
});

test('a run that takes longer than a call waits is looked at later, on another server', async () => {
  const go = Promise.withResolvers<void>();
  const run = begun(teamScript({ present: async () => (await go.promise, { text: 'At last.' }) }));
  await using first = await serving(run);
  await using mcp = await httpClient(first.url);
  const { text, view } = await mcp.call('ask_team', { task: 'Slowly.', configuration: 'plain', wait: 1 });
  expect(text).toMatch(/^The run (ask-\w+) is still running \(.+\): call status \{"run": "\1", "wait": 50\}$/);
  await using second = await serving(run);
  await using other = await httpClient(second.url);
  const ended = other.call('status', { run: view['run'], wait: 50 });
  go.resolve();
  expect((await ended).text).toContain('At last.');
});

test('errors are those of the command line, and name the choices', async () => {
  await using server = await serving(begun(teamScript()));
  await using mcp = await httpClient(server.url);
  const refused = async (name: string, args: object): Promise<string> => {
    const { isError, text } = await mcp.call(name, args);
    expect(isError).toBe(true);
    return text;
  };
  expect(await refused('ask_team', { task: 'Why?', configuration: 'no' })).toMatch(/no configuration "no"; .*plain/);
  expect(await refused('research', { idea: 'Why?', configuration: 'plain' })).toMatch(/"plain" .* team, .* research/);
  expect(await refused('solve', { task: 'Why?' })).toMatch(/problem/);
  expect(await refused('status', { run: 'no-such-run' })).toBe('There is no run of the id no-such-run');
  expect(await refused('answer', { run: 'no-such-run', text: 'x' })).toBe('There is no run of the id no-such-run');
  await expect(mcp.call('sing', {})).rejects.toThrow('There is no tool sing; there are: ask_team, research');
});

test('a token for named configurations starts only these and sees only its own runs; one that reads is refused', async () => {
  await using server = await serving(begun(teamScript()));
  const token = issue(ownerToken, { kind: 'start', names: ['plain'] });
  await using mcp = await httpClient(server.url, {}, token);
  const { view } = await mcp.call('ask_team', { task: 'Why?', configuration: 'plain', id: 'mine' });
  expect(view).toMatchObject({ run: expect.stringMatching(/^t\w+-mine$/), state: 'completed' });
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['ask_team', 'answer', 'status']);
  expect(tools[0]?.inputSchema).toMatchObject({
    required: ['task', 'configuration'],
    properties: { configuration: { enum: ['plain'] } },
  });
  for (const configuration of ['asking', undefined])
    expect((await mcp.call('ask_team', { task: 'Why?', configuration })).text).toMatch(/may start: plain/);
  await expect(mcp.call('research', { idea: 'Why?' })).rejects.toThrow('There is no tool research');
  await using owner = await httpClient(server.url);
  const { view: others } = await owner.call('ask_team', { task: 'Why?', configuration: 'plain' });
  for (const name of ['status', 'answer'])
    expect((await mcp.call(name, { run: others['run'] })).text).toMatch(/There is no run of the id/);
  await expect(httpClient(server.url, {}, issue(ownerToken, { kind: 'read' }))).rejects.toThrow(/403|only read/);
});

test('what the door adds to every answer is there as well', async () => {
  await using server = await serving(begun(teamScript()));
  const { headers, status } = await server.fetch('/mcp');
  expect({ status, type: headers.get('x-content-type-options') }).toEqual({ status: 405, type: 'nosniff' });
});
