import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { checkTeam } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const place = (name: string) => fileURLToPath(new URL(`../../examples/ask-others/${name}.yaml`, import.meta.url));

/** Starts an example as its first lines say. @returns the run, and what they say to answer */
async function startExample(run: SharedRunning, name: string) {
  const read = readConfigFile(place(name), checkTeam);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const text = readFileSync(place(name), 'utf8');
  const task = /^#     "(.*)"$/m.exec(text)?.[1] ?? '';
  const reply = /answer ID "(.*)"$/m.exec(text)?.[1] ?? '';
  return { handle: await run.start({ task, config: read.config }), reply };
}

async function answerWhenAsked(handle: WorkflowHandle, reply: string): Promise<PendingQuestion> {
  const pending = () => handle.query<PendingQuestion[]>('pendingQuestions');
  await expect.poll(pending).toHaveLength(1);
  const [question] = await pending();
  if (question === undefined) throw new Error('the question was withdrawn');
  await handle.signal('answer', { questionId: question.questionId, answer: reply });
  return question;
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

async function finished(handle: WorkflowHandle) {
  const { answer, finalAgent, attempts } = (await handle.result()) as OrchestrationResult;
  const events = await handle.query<RunEvent[]>('events');
  return {
    answer,
    finalAgent,
    attempts,
    of: <T extends RunEvent['type']>(type: T) => events.filter((event): event is EventOf<T> => event.type === type),
  };
}

describe('agents ask each other', () => {
  test.each([
    [
      '1-shared-resources',
      "I'm about to refactor the authentication module to use OAuth2. Any concerns or conflicts with your current work?",
      ['agent_b'],
      [/in two steps/, /Concern: the tests .* conflicts with this work\. \(agent_b, current-work\.md:3\)/],
    ],
    [
      '2-stuck',
      "I'm seeing a weird authentication error: 'Token signature invalid'. I've verified the secret key is correct. Any ideas what might cause this?",
      ['agent_b', 'agent_c'],
      [/HS256.*RS256\. \(agent_b, services\.md:3\)/, /a proxy that cuts long headers.*\(agent_c, servers\.md:3\)/],
    ],
  ])('%s: the question is put to all others, and the answer holds what they said', async (...example) => {
    const [name, question, others, said] = example;
    const run = running(teamScript());
    const { handle } = await startExample(run, name);
    const { answer, finalAgent, attempts, of } = await finished(handle);
    expect(of('asked')).toMatchObject([{ agent: 'agent_a', question, of: others }]);
    expect(
      of('responded')
        .map(({ agent }) => agent)
        .sort(),
    ).toEqual(others);
    expect(of('responded').map(({ asker }) => asker)).toEqual(others.map(() => 'agent_a'));
    expect(of('ask_ended')).toMatchObject([{ status: 'complete', silent: [] }]);
    expect(of('question')).toEqual([]);
    expect({ finalAgent, attempts }).toEqual({ finalAgent: 'agent_a', attempts: 1 });
    for (const part of said) expect(answer).toMatch(part);
  });
});

describe('an agent asks a person', () => {
  test.each([
    [
      '3-blocker',
      "The Google Maps API requires authentication and I don't have credentials. Should I use a free alternative like OpenStreetMap, or do you have API keys I should use?",
    ],
    [
      '4-approaches',
      'I can implement the data visualization using either Chart.js (simpler, lighter) or D3.js (more powerful, steeper learning curve). Which would you prefer given your needs?',
    ],
    [
      '5-design',
      'For the portfolio website, would you prefer: (A) a single-page design with smooth scrolling, or (B) multiple pages with navigation? Also, should I include a contact form or just list your email?',
    ],
    [
      '6-requirements',
      "You mentioned 'professional styling' for the landing page. Do you want a corporate/minimalist look, or something more colorful/creative? Any specific colors or brand guidelines to follow?",
    ],
  ])('%s: the person alone is prompted, and the answer holds what the person said', async (name, question) => {
    const run = running(teamScript());
    const { handle, reply } = await startExample(run, name);
    expect(await answerWhenAsked(handle, reply)).toMatchObject({ from: 'agent_a', question });
    const { answer, finalAgent, of } = await finished(handle);
    expect(of('asked')).toMatchObject([{ agent: 'agent_a', question, of: ['human'] }]);
    expect(of('question')).toHaveLength(1);
    expect(of('question_closed')).toMatchObject([{ how: 'answered', answer: reply }]);
    expect(of('responded')).toEqual([]);
    expect(finalAgent).toBe('agent_a');
    expect(answer).toContain(`${reply} (a person)`);
  });

  test('7-human-history: the second agent is deferred without a prompt, and uses what the person has answered', async () => {
    const run = running(teamScript());
    const { handle, reply } = await startExample(run, '7-human-history');
    const { from } = await answerWhenAsked(handle, reply);
    const second = from === 'agent_a' ? 'agent_b' : 'agent_a';
    const { answer, of } = await finished(handle);
    expect(of('question')).toMatchObject([{ from }]);
    expect(
      of('asked')
        .map(({ agent }) => agent)
        .sort(),
    ).toEqual(['agent_a', 'agent_b']);
    expect(of('ask_ended').find(({ agent }) => agent === second)?.status).toBe('deferred');
    expect(of('answer').find(({ agent }) => agent === second)?.content).toContain(`${reply} (a person)`);
    expect(answer).toContain(`${reply} (a person)`);
  });
});
