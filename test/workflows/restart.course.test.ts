import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { answer, restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const team = ['agent_1', 'agent_2'];
const openai = { type: 'openai' };
const reason = "Agents provided plans but didn't execute actual implementation";
const instructions =
  'Please actually implement the solution by modifying the files,\nnot just describing what changes should be made';
const onceMore = teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart(reason, instructions) : submit()) });
const isWithheld = (body: object): boolean =>
  (body as { tool_choice?: { type?: string } }).tool_choice?.type === 'none';
/** The log without the run's id at the end of each line, as `cut -f1` prints it. */
const logOf = ({ home }: SharedRunning): string =>
  readFileSync(join(home, 'logs', 'log.txt'), 'utf8').replaceAll(/\t.*$/gm, '');

describe('a restart', () => {
  test('tells each agent why, in the documented block, with reason and instructions in full', async () => {
    const run = running(onceMore);
    await run.orchestrate({ task: 'Build it.', config: teamOf(team, openai) });
    const second = run.model.requests.filter(({ prompt }) => prompt.includes('## Previous Orchestration Attempts'));
    expect(second.length).toBeGreaterThanOrEqual(4);
    for (const { prompt } of second) {
      expect(prompt).toContain('This is attempt 2 to solve the task.');
      expect(prompt).toContain(`**Why the restart was requested:**\n${reason}`);
      expect(prompt).toContain(`**Instructions for improvement:**\n${instructions}`);
    }
  });

  test('resets answers and coordination messages, and keeps the session’s conversation', async () => {
    const run = running(onceMore);
    const history = [
      { role: 'user' as const, content: 'We speak of boats.' },
      { role: 'assistant' as const, content: 'Of boats, yes.' },
    ];
    await run.orchestrate({ task: 'Build it.', history, config: teamOf(team, openai) });
    const answering = run.model.requests.filter(
      ({ prompt, tools }) => tools.includes('new_answer') && !prompt.includes('## Answers'),
    );
    expect(answering).toHaveLength(4);
    for (const { messages } of answering) {
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
      expect(messages[2]).toMatchObject({ text: 'Of boats, yes.' });
    }
    // Of the first attempt they see what was best, and nothing else.
    const second = answering.filter(({ prompt }) => prompt.includes('This is attempt 2 to solve'));
    expect(second).toHaveLength(2);
    for (const { prompt } of second) {
      expect(prompt).toContain('**Best answer so far:**\n<answer>\nAnswer of agent_1 in attempt 1.');
      expect(prompt).not.toContain('Answer of agent_2');
    }
  });

  test('tells agents and judge what all restarts before the last one asked for', async () => {
    const run = running(teamScript({ decide: ({ attempt }) => restart(`Why ${attempt}.`, `Do ${attempt}.`) }));
    await run.orchestrate({ task: 'Build it.', config: teamOf(team, openai) });
    const third = run.model.requests.filter(({ prompt }) => prompt.includes('This is attempt 3 to solve'));
    expect(third.length).toBeGreaterThan(0);
    for (const { prompt } of third) {
      expect(prompt).toContain('**Why the restart was requested:**\nWhy 2.\n');
      expect(prompt).toContain('**Earlier restarts:**\n- after attempt 1: Why 1. Asked for: Do 1.\n');
    }
    const judge = run.model.requests.findLast(({ tools }) => tools.includes('submit'));
    expect(judge?.prompt).toContain(
      '- after attempt 1: Why 1. Asked for: Do 1.\n- after attempt 2: Why 2. Asked for: Do 2.',
    );
  });

  test('before presenting prints the documented lines and banners', async () => {
    const run = running(onceMore);
    await run.orchestrate({ task: 'Build it.', config: teamOf(team, openai) });
    const log = logOf(run);
    const time = String.raw`\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] `;
    expect(log).toMatch(new RegExp(`^${time}Final agent selected: agent_1$`, 'm'));
    expect(log).toMatch(new RegExp(`^${time}🔄 Final agent agent_1 chose to RESTART orchestration\\n   Reason: `, 'm'));
    expect(log).toMatch(/^ {3}Instructions: Please actually implement/m);
    expect(log).toMatch(new RegExp(`^${time}🔄 Handling orchestration restart \\(attempt 1 -> 2\\)$`, 'm'));
    expect(log).toContain(`🔄 Orchestration restart requested by final agent\n\nReason: ${reason}\n\n---\n`);
    expect(log).toContain(
      `🔄 Orchestration Restart - Attempt 2/3\n\nReason: ${reason}\n\nInstructions: ${instructions}\n\n---\n\n` +
        '🚀 Starting multi-agent coordination...\n',
    );
  });

  test('after presenting prints the documented lines', async () => {
    const run = running(onceMore);
    const config = teamOf(team, openai, { enable_post_presentation_evaluation: true });
    await run.orchestrate({ task: 'Build it.', config });
    const log = logOf(run);
    for (const phrase of [
      'Final agent selected: agent_1',
      '🎤 [agent_1] presenting final answer',
      '🔍 Starting post-presentation evaluation',
      '🔍 Post-presentation evaluation by agent_1',
      `🔄 Post-evaluation: agent_1 requests RESTART\n   Reason: ${reason}\n   Instructions: `,
      '🔄 Handling orchestration restart (attempt 1 -> 2)',
    ]) {
      expect(log).toContain(phrase);
    }
  });

  test('at the limit is shown as exceeded, and the best answer is delivered', async () => {
    const run = running(teamScript({ decide: () => restart(reason, instructions) }));
    const config = teamOf(team, openai, { max_orchestration_restarts: 1 });
    const result = await run.orchestrate({ task: 'Build it.', config });
    expect(result).toMatchObject({
      outcome: 'restart_limit',
      answer: 'The final answer, by agent_1.',
      attempts: 2,
      restarts: [{ attempt: 1, reason, instructions }],
    });
    expect(logOf(run)).toContain('Maximum orchestration restarts exceeded');
  });

  test('the judge after presenting has a fresh conversation: the task, the presented answer, nothing else', async () => {
    const run = running(teamScript());
    await run.orchestrate({
      task: 'Build it.',
      config: teamOf(team, openai, { enable_post_presentation_evaluation: true }),
    });
    const judge = run.model.requests.find(({ tools }) => tools.includes('submit'));
    expect(judge?.prompt).toContain(
      '## Task\n\nBuild it.\n\n## Final answer\n\n<answer>\nThe final answer, by agent_1.\n</answer>',
    );
    expect(judge?.prompt).not.toContain('Answer of agent_');
    expect(judge?.prompt).toContain('This is attempt 1 of 3.');
  });

  test('final_agent gives judging and presenting a model of their own', async () => {
    const run = running(teamScript());
    const rest = { final_agent: { backend: { type: 'claude', model: 'claude-expensive' } } };
    await run.orchestrate({ task: 'Build it.', config: teamOf(team, { type: 'openai', model: 'cheap' }, {}, rest) });
    expect(run.model.requests.map(({ model, wire }) => `${wire} ${model}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'responses cheap'),
      ...Array.from({ length: 2 }, () => 'anthropic claude-expensive'),
    ]);
  });

  test.each([
    ['before presenting', {}],
    ['after presenting', { enable_post_presentation_evaluation: true }],
  ])('a judge %s may have a model of its own, which presents nothing', async (_, coordination) => {
    const run = running(teamScript());
    const rest = { final_agent: { judge: { backend: { type: 'claude', model: 'claude-strict' } } } };
    const { outcome } = await run.orchestrate({
      task: 'Build it.',
      config: teamOf(team, { type: 'openai', model: 'cheap' }, coordination, rest),
    });
    expect(outcome).toBe('submitted');
    const judged = run.model.requests.filter(({ wire }) => wire === 'anthropic');
    expect(judged.map(({ tools, body }) => [tools, body.model])).toEqual([
      [['submit', 'restart_orchestration'], 'claude-strict'],
    ]);
    const presented = run.model.requests.find(({ prompt }) => prompt.includes('Now write the final answer'));
    expect(presented?.tools).toEqual([]);
    expect(presented?.prompt).not.toContain('## Decision');
  });
});

describe('a judge that fails or does not decide counts as submitting, with a warning', () => {
  test.each([
    ['it calls neither tool, three times', () => ({ text: 'Hm.' }), 3],
    ['its model fails', () => ({ status: 400 }), 1],
    ['it says confirmed: false', () => submit(false), 1],
  ])('%s', async (_, decide, calls) => {
    const run = running(teamScript({ decide }));
    const handle = await run.start({ task: 'T', config: teamOf(team, openai) });
    expect(await handle.result()).toMatchObject({
      outcome: 'degraded',
      warnings: [expect.stringContaining('counts as submitting')],
      answer: 'The final answer, by agent_1.',
    });
    const decisions = run.model.requests.filter(({ body, tools }) => tools.includes('submit') && !isWithheld(body));
    expect(decisions).toHaveLength(calls);
    const events = await handle.query<RunEvent[]>('events');
    expect(events.some((event) => event.type === 'warning' && event.text.includes('counts as submitting'))).toBe(true);
  });
});

describe('a person', () => {
  test('asks for a restart: calls in flight are cancelled, the agents are told, and it counts toward the limit', async () => {
    const { promise: answering, resolve: isAnswering } = Promise.withResolvers<void>();
    const run = running(
      teamScript({
        answer: ({ agent, attempt }) => {
          if (attempt > 1) return answer(`Answer of ${agent}.`);
          isAnswering();
          return { ...answer('Too late.'), delay: 30_000 };
        },
      }),
    );
    const handle = await run.start({ task: 'T', config: teamOf(team, openai, { max_orchestration_restarts: 1 }) });
    await answering;
    await handle.signal('requestRestart', { reason: 'Wrong way.', instructions: 'Go left.' });
    const result = await handle.result();
    expect(result).toMatchObject({
      attempts: 2,
      restarts: [{ attempt: 1, reason: 'Wrong way.', instructions: 'Go left.' }],
    });
    expect(run.model.requests.some(({ prompt }) => prompt.includes('A person was not satisfied'))).toBe(true);
    expect(logOf(run)).toContain('🔄 Orchestration restart requested by a person');
  });

  test('is refused at the limit, with a line in the log', async () => {
    const { promise: deciding, resolve: isDeciding } = Promise.withResolvers<void>();
    const { promise: refused, resolve: isRefused } = Promise.withResolvers<void>();
    const run = running(
      teamScript({
        answer: async ({ agent }) => {
          isDeciding();
          await refused;
          return answer(`Answer of ${agent}.`);
        },
      }),
    );
    const handle = await run.start({ task: 'T', config: teamOf(team, openai, { max_orchestration_restarts: 0 }) });
    await deciding;
    await handle.signal('requestRestart', { reason: 'Wrong way.', instructions: 'Go left.' });
    isRefused();
    expect(await handle.result()).toMatchObject({ attempts: 1, outcome: 'submitted' });
    expect(logOf(run)).toContain('Maximum orchestration restarts exceeded (requested by a person)');
  });
});
