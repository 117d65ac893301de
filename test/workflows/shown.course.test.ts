import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { ownDocs } from '../../src/config/search-services.ts';
import type { CallModelInput } from '../../src/protocol/model-call.ts';
import type { TurnResult } from '../../src/protocol/session.ts';
import type { Usage } from '../../src/protocol/usage.ts';
import { report, researchScript } from '../support/research-script.ts';
import type { Script } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { completed, solveScript } from '../support/solve-script.ts';
import { answer, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

const inOwnDocs = { research: { search: { folder: ownDocs } } };

const running = sharedRunning();

const openai = { type: 'openai' };
const config = teamOf(['agent_a', 'agent_b'], openai);
const long = `Which database 🐘 suits us?\n${'And why? '.repeat(40)}`;

const parroting: Script = ({ messages }) => ({ text: `You say: ${messages.at(-1)?.text}` });

const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
  session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });

interface Definition {
  name?: string;
  description?: string;
}

interface Metadata {
  currentDetails: string;
  definition: Record<'queryDefinitions' | 'signalDefinitions', Definition[]> & { updateDefinitions?: Definition[] };
}

const metadataOf = (run: WorkflowHandle): Promise<Metadata> => run.query<Metadata>('__temporal_workflow_metadata');

const detailsOf = async (run: WorkflowHandle): Promise<string> => (await metadataOf(run)).currentDetails;

describe('lists of runs', () => {
  type Start = (run: SharedRunning, text: string) => Promise<WorkflowHandle>;
  const kinds: Array<[kind: string, script: Script, start: Start]> = [
    ['orchestration', teamScript(), (run, task) => run.start({ task, config })],
    ['research', researchScript(), (run, idea) => run.startResearch({ idea, config: inOwnDocs })],
    ['planAndExecute', solveScript(), (run, problem) => run.startSolve({ problem })],
    ['session with an agent', parroting, (run, text) => run.startSession({ text })],
    ['session with a team', teamScript(), (run, text) => run.startSession({ text, config })],
  ];

  test.each(kinds)('have the question of %s and what it has spent', async (_, script, start) => {
    const run = running(script);
    const handle = await start(run, `  ${long}`);
    const { usage } = (await handle.result()) as { usage: Usage };
    const { memo, typedSearchAttributes } = await handle.describe();
    const { byAgent: __, ...spent } = usage;
    expect(memo).toMatchObject({ question: long.slice(0, 200), spent });
    expect(spent.calls).toBeGreaterThan(0);
    expect(typedSearchAttributes.getAll().find(({ key }) => key.name === 'RepriseQuestion')?.value).toBe(
      long.slice(0, 200),
    );
  });

  // A plan that is done has no agents.
  test.each(kinds.filter(([kind]) => kind !== 'planAndExecute'))(
    'answer the query for the transcript of an unknown agent of %s with those there are',
    async (_, script, start) => {
      const handle = await start(running(script), 'Which database?');
      await handle.result();
      await expect(handle.query('transcript', 'nobody')).rejects.toThrow(
        /^The run has no agent "nobody" at present; it has \w+/,
      );
    },
  );

  test('find a run by any word of its question, in any letter case, while it runs', async () => {
    const held = Promise.withResolvers<void>();
    const run = running(
      teamScript({
        answer: async () => {
          await held.promise;
          return answer('One.');
        },
      }),
    );
    const handle = await run.start({ task: `Which zeppelin${run.taskQueue.replaceAll('-', '')} is best?`, config });
    const word = `ZEPPELIN${run.taskQueue.replaceAll('-', '')}`;
    await expect.poll(async () => (await run.client.workflow.count(`RepriseQuestion = "${word}"`)).count).toBe(1);
    held.resolve();
    await handle.result();
  });

  test('never show half a character', async () => {
    const run = running(parroting);
    const handle = await run.startSession({ text: `${'a'.repeat(199)}🐘 and so on` });
    await handle.result();
    expect((await handle.describe()).memo).toMatchObject({ question: 'a'.repeat(199) });
  });

  test('have the first text of a session, also after it has gone on in a new run', async () => {
    const run = running(parroting);
    const session = await run.startSession({});
    const runOf = async (): Promise<string> => (await session.describe()).runId;
    const first = await runOf();
    await say(session, 'The first.');
    while ((await runOf()) === first) await say(session, 'Another.');
    const details = await detailsOf(session);
    expect(details).toContain('> You say: Another.');
    await session.signal('close');
    await session.result();
    const { memo, typedSearchAttributes } = await session.describe();
    expect(memo).toMatchObject({ question: 'The first.' });
    expect(typedSearchAttributes.getAll().find(({ key }) => key.name === 'RepriseQuestion')?.value).toBe('The first.');
  });
});

describe('the details of a run that is done', () => {
  /** Markdown that would change what stands below it, if it could. */
  const hostile = '# Big\r\n## Bigger\r# Biggest\n```\nnever closed\n\n- a list\n<!-- nor this';

  test('say why agents have voted as they have, and show the other answers, of long ones the beginning', async () => {
    const long = 'Paint it red. '.repeat(2000);
    const run = running(
      teamScript({
        answer: ({ agent }) => answer(agent === 'agent_a' ? 'Blue.' : long),
        vote: () => vote('agent1', 'Short\n# and right'),
      }),
    );
    const handle = await run.start({ task: 'Which colour?\nSay it shortly.', config });
    await handle.result();
    const details = await detailsOf(handle);
    expect(details).toMatch(/^### Asked\n\n> Which colour\?\n\n### Answer\n/);
    expect(details).toContain('- **agent_b**: voted for agent_a: Short # and right\n');
    expect(details).toMatch(/### Answer of agent_b\n\n> (Paint it red\. )+[^]*characters were left out here\]\n/);
    expect(details).not.toContain('### Answer of agent_a');
    expect(Buffer.byteLength(details)).toBeLessThan(5000);
  });

  test('show its answer first, as a quotation that nothing in it can end', async () => {
    const run = running(teamScript({ present: () => ({ text: hostile }) }));
    const handle = await run.start({ task: 'T', config });
    await handle.result();
    const details = await detailsOf(handle);
    expect(details).toMatch(
      /^### Asked\n\n> T\n\n### Answer\n\n> # Big\n> ## Bigger\n> # Biggest\n> ```\n> never closed\n> \n> - a list\n> <\u200B!-- nor this\n\n### Attempt 1 of 3: done\n/,
    );
  });

  test('show no more of a long one than an address takes, and say so', async () => {
    const run = running(
      teamScript({ present: () => ({ text: Array.from({ length: 20_000 }, (_, index) => `ä${index}`).join('') }) }),
    );
    const handle = await run.start({ task: 'T', config });
    await handle.result();
    const details = await detailsOf(handle);
    expect(Buffer.byteLength(details)).toBeLessThan(32_000);
    expect(details).toMatch(/ä\d+\n> \[… \d\d,\d{3} of 108,890 characters were left out here\]\n\n### Attempt/);
  });

  test('show the report of research, with its sources', async () => {
    const run = running(researchScript({ synthesise: () => report('On boats', '# They float.') }));
    const handle = await run.startResearch({ idea: 'Boats\n\n# Ships', config: inOwnDocs });
    await handle.result();
    const details = await detailsOf(handle);
    expect(details).toMatch(
      /^### Asked\n\n> Boats\n\n### Answer\n\n> # On boats\n> \n> # They float\.\n> \n> ## Findings\n/,
    );
    expect(details).not.toMatch(/^# /m);
  });

  test('show the answer of a plan, whose subtasks take a line each', async () => {
    const run = running(
      solveScript({
        plan: () => ({
          calls: [
            {
              name: 'submit_plan',
              arguments: { subtasks: [{ id: 'step_1', description: 'Do\n# it\r# now', depends_on: [] }] },
            },
          ],
        }),
        work: () => completed('Done.'),
      }),
    );
    const handle = await run.startSolve({ problem: 'P' });
    await handle.result();
    const details = await detailsOf(handle);
    expect(details).toMatch(
      /^### Asked\n\n> P\n\n### Answer\n\n> The answer\.\n\n### done\n- \*\*step_1\*\*: completed: Do # it # now\n/,
    );
  });

  test("show the last turn's answer of a session, below a question that waits", async () => {
    const run = running(
      teamScript({
        answer: ({ messages }) =>
          messages.some(({ role }) => role === 'tool') || !messages.at(-1)?.text.includes('Second')
            ? answer('One.')
            : { calls: [{ name: 'ask_others', arguments: { question: 'Red?' } }] },
        present: () => ({ text: 'The first answer.' }),
      }),
    );
    const session = await run.startSession({ config: teamOf(['agent_a'], openai, { broadcast: 'human' }) });
    await say(session, 'First.');
    expect(await detailsOf(session)).toMatch(/^### Asked\n\n> First\.\n\n### Answer\n\n> The first answer\.\n/);
    const second = session.startUpdate<TurnResult, [string]>('handleText', {
      args: ['Second.'],
      waitForStage: 'ACCEPTED',
    });
    await expect
      .poll(() => detailsOf(session))
      .toMatch(/^### Asked\n\n> Second\.\n\n### agent_a asks a person\n[^]*### Answer/);
    await session.signal('answer', { answer: 'Red.' });
    await (await second).result();
    await session.signal('close');
    await session.result();
  });

  test('quote what a person or an agent gave as the reason of a restart', async () => {
    const run = running(
      teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart('Bad.\r# Very', 'Better.') : submit()) }),
    );
    const handle = await run.start({ task: 'T', config });
    await handle.result();
    expect(await detailsOf(handle)).toContain('### Restart after attempt 1\n\n> Bad.\n> # Very');
  });
});

test('a model call in the history says in words what it sends, where it names texts and tools by reference', async () => {
  const run = running(teamScript());
  const handle = await run.start({ task: long + long, config });
  await handle.result();
  const { events } = await handle.fetchHistory();
  const inputs = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    const [input] = scheduled?.activityType?.name === 'callModel' ? (scheduled.input?.payloads ?? []) : [];
    return input?.data ? [Buffer.from(input.data).toString()] : [];
  });
  expect(inputs.length).toBeGreaterThan(0);
  for (const input of inputs) {
    const { system, tools } = JSON.parse(input) as CallModelInput;
    expect(system).toContainEqual({ blob: expect.any(String), preview: expect.stringMatching(/\w+ \w+ \w+/) });
    expect(tools).toEqual({ blob: expect.any(String), preview: expect.stringMatching(/^\w+(, \w+)*$/) });
  }
  expect(inputs[0]).toContain('"preview":"new_answer, vote"');
  expect(inputs[0]).toContain('"preview":"Which database 🐘 suits us? And why? And why?');
});

type Kind = [type: string, start: (run: SharedRunning) => Promise<WorkflowHandle>, own: string[]];

test.each<Kind>([
  ['orchestration', (run) => run.start({ task: 'T', config }), ['answer', 'requestRestart']],
  ['research', (run) => run.startResearch({ idea: 'I', config: inOwnDocs }), ['answer', 'decide', 'requestRestart']],
  ['planAndExecute', (run) => run.startSolve({ problem: 'P' }), ['answer', 'requestRestart']],
  ['session', (run) => run.startSession({}), ['answer', 'close', 'handleText', 'requestRestart']],
])('every signal, query and update of %s says what it is for', async (_, start, own) => {
  const run = running(() => new Promise(() => {}));
  const { definition } = await metadataOf(await start(run));
  const { queryDefinitions, signalDefinitions, updateDefinitions = [] } = definition;
  const found = [...queryDefinitions, ...signalDefinitions, ...updateDefinitions];
  const ours = found.filter(({ name = '' }) => !name.startsWith('__'));
  expect(ours.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...own, 'events', 'pendingQuestions', 'state', 'transcript']),
  );
  expect(ours.filter(({ description = '' }) => !/\w+ .*\.$/.test(description))).toEqual([]);
});
