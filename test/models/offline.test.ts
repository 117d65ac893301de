import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { joinContent } from '../../src/workflows/agent/content.ts';
import { taskMessage, votingMessage } from '../../src/workflows/orchestration/prompts.ts';
import { decisionPrompt, presentPrompt, reviewMessage } from '../../src/workflows/orchestration/prompts.ts';
import { coordinationTools, decisionTools } from '../../src/workflows/orchestration/prompts.ts';
import type { Content } from '../../src/protocol/message.ts';

const library = fileURLToPath(new URL('../fixtures/library', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'reprise-empty-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const textOf = (content: Content): string =>
  joinContent([content])
    .map((text) => (typeof text === 'string' ? text : ''))
    .join('');
const user = (content: Content): Message => ({ role: 'user', content: textOf(content) });
const tools = coordinationTools(['agent1', 'agent2']);

async function complete(messages: Message[], offered: ToolSpec[], folder: string | undefined = library) {
  const signal = new AbortController().signal;
  const { message } = await offlineModel({ type: 'offline', folder }).complete({
    messages,
    tools: offered,
    signal,
    onDelta() {},
  });
  const [call] = message.toolCalls ?? [];
  return {
    text: message.content,
    name: call?.name,
    input: JSON.parse(call?.arguments ?? '{}') as Record<string, unknown>,
  };
}

const answerOf = async (task: string, persona = 'You are thorough.', folder?: string): Promise<string> =>
  String(
    (
      await complete(
        [{ role: 'system', content: persona }, user(taskMessage(task, undefined))],
        tools,
        folder,
      )
    ).input['content'],
  );

describe('the offline model answers from the texts of a folder', () => {
  test.each([
    [
      'How hot must the oven be for the loaf, and how long is it baked?',
      [/250 °C/, /20 minutes, then uncovered for another 25/, /bread\.md:9/],
    ],
    [
      'How many moons does Jupiter have, and who discovered Uranus?',
      [/Jupiter.*moons: 95/, /Uranus.*William Herschel/, /planets\.csv/],
    ],
    [
      'How many days of paid leave do employees get, and who approves large expenses?',
      [/28 days of paid leave/, /head of the department/],
    ],
    ['How many steps does the lighthouse have and what was the boat called?', [/199 steps/, /Petrel/]],
    ['What did Jonas give Marta?', [/silver whistle/]],
    ['When is the fire alarm tested?', [/first Monday of each month at noon/]],
  ])('%s', async (question, expected) => {
    const answer = await answerOf(question);
    for (const part of expected) expect(answer).toMatch(part);
  });

  test('of two parts it answers the one that it finds, and says honestly that the other is not there', async () => {
    const answer = await answerOf('When is the fire alarm tested, and what is the capital of France?');
    expect(answer).toMatch(/first Monday/);
    expect(answer).toMatch(/On "what is the capital of France" nothing was found/);
  });

  test('its own documentation answers the sample question, with its source', async () => {
    const question = 'How many attempts does an orchestration get by default, and what happens at the limit?';
    const { message } = await offlineModel({ type: 'offline' }).complete({
      messages: [user(taskMessage(question, undefined))],
      tools,
      signal: new AbortController().signal,
      onDelta() {},
    });
    const own = message.toolCalls?.[0]?.arguments ?? '';
    expect(own).toMatch(/gets 3 attempts.*up to 2 restarts/);
    expect(own).toMatch(/Maximum orchestration restarts exceeded.*best answer is delivered/);
    expect(own).toMatch(/orchestration\.md:\d+/);
  });

  test('a text that comes with the task is answered from before the folder', async () => {
    const answer = await answerOf(
      'The meeting is on Tuesday at ten in room 4. Bring the fire alarm keys. Where is the meeting?',
    );
    expect(answer).toMatch(/room 4.*\(the text given:1\)/);
  });

  test('what was said before is answered from, but never by a question, nor by what an answer says of itself', async () => {
    const before: Message[] = [
      { role: 'user', content: 'The meeting is in room 4. When is the fire alarm tested? Who is Ada?' },
      {
        role: 'assistant',
        content: `${await answerOf('When is the fire alarm tested? Who is Ada?')}\n\n(Offline model: as ever.)`,
      },
      { role: 'assistant', content: 'Ada keeps the bees.' },
    ];
    const again = async (task: string) => {
      const { input } = await complete([...before, user(taskMessage(task, undefined))], tools);
      return input['content'];
    };
    expect(await again('When is the fire alarm tested?')).toBe(
      await answerOf('When is the fire alarm tested?'),
    );
    expect(await again('Where is the meeting?')).toBe('The meeting is in room 4. (the text given:1)');
    expect(await again('What does Ada keep?')).toBe('Ada keeps the bees. (an earlier answer)');
    expect(await again('What is the offline model?')).toMatch(/nothing was found/);
  });

  test('a brief persona gives one sentence, a thorough one every part', async () => {
    const question = 'How hot must the oven be for the loaf, and how long is it baked?';
    expect((await answerOf(question, 'Be brief.')).split('\n')).toHaveLength(1);
    expect((await answerOf(question)).split('\n')).toHaveLength(2);
  });

  test('the same question and texts give the same answer', async () => {
    expect(await answerOf('What did Jonas give Marta?')).toBe(await answerOf('What did Jonas give Marta?'));
  });

  test('a folder that is not there is named, with its key', async () => {
    await expect(answerOf('What?', '', join(empty, 'none'))).rejects.toThrow(
      /no folder .*none \(key "folder"/,
    );
  });

  test('in an empty folder nothing is found', async () => {
    expect(await answerOf('What did Jonas give Marta?', '', empty)).toMatch(/nothing was found/);
  });
});

const task = 'When is the fire alarm tested, and who keeps the lighthouse?';
const short = 'The fire alarm is tested on Monday.';
const full = `${short} The lighthouse is kept by Marta.`;
const shown = (yours: boolean) => [
  { name: 'agent1', content: short, yours },
  { name: 'agent2', content: full, yours: false },
];
const review = (selected: string) => user(reviewMessage(task, shown(true), [], selected));

describe('the offline model judges by what an answer covers', () => {
  test('it votes for the answer that covers the question best', async () => {
    const { name, input } = await complete(
      [user(taskMessage(task, undefined)), user(votingMessage(shown(true), true))],
      tools,
    );
    expect([name, input['agent_id']]).toEqual(['vote', 'agent2']);
  });

  test('it restarts when part of the question is left uncovered, and says which part', async () => {
    const { name, input } = await complete(
      [review('agent1'), user(decisionPrompt(1, 3, undefined))],
      decisionTools,
    );
    expect(name).toBe('restart_orchestration');
    expect(input['reason']).toContain('who keeps the lighthouse');
    expect(input['instructions']).toContain('who keeps the lighthouse');
  });

  test('it submits when every part is covered, or reported as not found', async () => {
    const decide = async (selected: string) =>
      (await complete([review(selected), user(decisionPrompt(1, 3, undefined))], decisionTools)).name;
    expect(await decide('agent2')).toBe('submit');
  });

  test('after a restart its agents look for the part that was missing', async () => {
    const restart = {
      attempt: 2,
      by: 'final_agent' as const,
      reason: 'r',
      instructions: 'Also answer: who keeps the lighthouse',
    };
    const { input } = await complete(
      [
        { role: 'system', content: 'Be brief.' },
        user(taskMessage('When is the fire alarm tested?', restart)),
      ],
      tools,
    );
    expect(input['content']).toMatch(/Marta kept the lighthouse/);
  });

  test('it presents the selected answer, and says what it is', async () => {
    const { text } = await complete([review('agent2'), user(presentPrompt)], []);
    expect(text).toContain(full);
    expect(text).toMatch(/\(Offline model: sentences chosen from .*\.\)$/);
  });
});
