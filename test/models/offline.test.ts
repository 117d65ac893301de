import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  answerList,
  decisionPrompt,
  presentPrompt,
  taskMessage,
  votingMessage,
} from '../../src/workflows/orchestration/prompts.ts';
import { presentedMessage, reviewMessage } from '../../src/workflows/orchestration/review-prompts.ts';
import { coordinationTools, decisionTools } from '../../src/workflows/orchestration/tools.ts';
import { library, Talk, user } from '../support/offline.ts';

const empty = mkdtempSync(join(tmpdir(), 'reprise-empty-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const tools = coordinationTools(['agent1', 'agent2']);

/** What an agent of a team answers; without a folder from Reprise's own documentation. */
async function answerOf(task: string, folder?: string, persona = 'You are thorough.'): Promise<string> {
  const talk = new Talk(folder, { role: 'system', content: persona }, user(taskMessage(task, undefined)));
  return String((await talk.reply(tools)).input?.['content']);
}

describe('Reprise’s own documentation is quoted, with file and line, on what it tells', () => {
  test.each([
    ['How many attempts does an orchestration get by default?', /gets 3 attempts.*\(docs\/orchestration\.md:\d+\)$/],
    ['What does a restart keep?', /keeps the timeout flags/],
    ['What does a restart reset?', /resets the agents' answers/],
    ['Which environment variable holds the folder of embedded data?', /REPRISE_HOME/],
    ['Which environment variable names a file with prices?', /REPRISE_PRICES/],
    ['When do a background server and worker end?', /REPRISE_IDLE_MINUTES/],
    ['How many seconds does an agent have in each attempt?', /600 seconds/],
    ['What happens when a budget is spent?', /budget.*spent/],
    ['How many answers may an agent give in an attempt?', /at most three in an attempt/],
    ['How many planning iterations are there at most?', /max_planning_iterations/],
    ['What is a dead end?', /A dead end is a subtask/],
    ['Which files can be attached?', /--attach FILE/],
    ['What is max_similar_implementations?', /max_similar_implementations/],
    ['What happens when the worker dies?', /the retry finds the reply in the journal/],
    ['What is the default model for claude?', /claude-sonnet/],
    ['What does the tool save_file do?', /keeps a text as a file/],
    ['What does response_depth mean?', /How thorough/],
    ['How are secrets kept out of a configuration?', /no secret belongs/],
    ['How do I restart a run as a person?', /restart ID --reason/],
    ['What is ask_others?', /^`broadcast`: .*`ask_others` asks/],
    ['What do judges do?', /^A judge is the agent or model that decides/],
    ['What is a tool?', /^A tool is something that an agent may do/],
  ])('%s', async (question, expected) => {
    const answer = await answerOf(question);
    expect(answer).toMatch(expected);
    expect(answer).not.toContain('Nothing found');
  });

  test('the sample question gets both its parts', async () => {
    const question = 'How many attempts does an orchestration get by default, and what happens at the limit?';
    expect((await answerOf(question)).split('\n')).toEqual([
      expect.stringMatching(/gets 3 attempts.*up to 2 restarts/),
      expect.stringMatching(/^At the limit.*best answer is delivered.*\(docs\/orchestration\.md:\d+\)$/),
    ]);
  });
});

describe('on anything else nothing is found, also where the question shares words with the texts', () => {
  test.each([
    'What is the capital of France?',
    'Who won the 1998 world cup?',
    'How do I bake sourdough bread?',
    'What is the boiling point of ethanol?',
    'Write a haiku about autumn',
    'What is 17 times 23?',
    'Who is the president of Brazil?',
    'Translate good morning to Japanese',
    'What is the best time to visit Norway?',
    'How tall is Mount Everest?',
    'Explain photosynthesis',
    'What time is it?',
    'What day is it today?',
    'Which team should I support in football?',
    'How much does a model rocket cost?',
    'What is the population of the town of Reading?',
    'How many people live in Reading?',
    'What are the side effects of aspirin?',
    'Which agent should I call to sell my house?',
    'How many people attempt to climb K2 each year?',
    'What is the price of gold today?',
    'What is the price of an agent?',
    'How do I restart my iPhone?',
    'When is the next session of parliament?',
    'What is a good plan for a weekend?',
    'How do I plan a wedding?',
    'How do I tie a tie?',
    'What is art?',
    'Who are you?',
    'Hello',
    'momentum trading strategy',
    'How many seconds are in a year?',
    'What time does the store close?',
    'How do I find a good team?',
    'How do I name a file?',
    'How do I wait tables?',
    'How do I restart my life?',
    'How do I become a model?',
    'How much does a web server cost?',
    'How do I pass the time?',
    'How old are you?',
    'What is the end of history?',
    'What is 2+2?',
    'What’s new?',
    'exit',
  ])('%s', async (question) => {
    expect(await answerOf(question)).toMatch(/^Nothing found on ".*" in the documentation of Reprise\.$/);
  });
});

describe('a folder of texts', () => {
  test.each([
    ['How is the oven heated, and how is the loaf baked?', [/250 °C.*\(bread\.md:9\)/, /20 minutes, then uncovered/]],
    [
      'How many moons does Jupiter have, and who discovered Uranus?',
      [/Jupiter.*moons: 95.*\(planets\.csv:3\)/, /Uranus.*William Herschel/],
    ],
    ['What did Jonas give Marta?', [/^The boat came home .*\nIts captain, Jonas, gave her a silver whistle/]],
    ['When is the fire alarm tested?', [/first Monday of each month at noon\. \(handbook\.txt:7\)/]],
  ])('%s', async (question, expected) => {
    const answer = await answerOf(question, library);
    for (const part of expected) expect(answer).toMatch(part);
  });

  test('of two parts it answers the one that it finds, and says that on the other there is nothing', async () => {
    const task = 'When is the fire alarm tested, and what is the capital of France?';
    expect((await answerOf(task, library)).split('\n')).toEqual([
      expect.stringMatching(/first Monday/),
      'Nothing found on "what is the capital of France" in the folder "library".',
    ]);
  });

  test('a brief persona answers the first part alone, and after a restart what that asks for', async () => {
    const task = 'When is the fire alarm tested, and how many days of paid leave are there?';
    const brief = { role: 'system' as const, content: 'Be brief.' };
    expect((await answerOf(task, library, 'Be brief.')).split('\n')).toHaveLength(1);
    const instructions = 'Also answer: how many days of paid leave are there';
    const restart = { attempt: 2, by: 'final_agent' as const, reason: 'r', instructions };
    const { input } = await new Talk(library, brief, user(taskMessage(task, restart))).reply(tools);
    expect(input?.['content']).toMatch(/28 days of paid leave/);
  });

  test('that is not there is named, with its key; in an empty one nothing is found', async () => {
    await expect(answerOf('What?', join(empty, 'none'))).rejects.toThrow(/no folder .*none \(key "folder"/);
    expect(await answerOf('When is the fire alarm tested?', empty)).toMatch(/^Nothing found/);
  });
});

describe('in a team', () => {
  const task = 'When is the fire alarm tested, and how many days of paid leave do employees have?';
  const none = 'Nothing found on "x" in the folder "library".';
  const one = 'The fire alarm is tested on the first Monday. (handbook.txt:7)';
  const two = `${one}\nFull-time staff have 28 days of paid leave a year. (handbook.txt:5)`;
  const shown = (...contents: string[]) =>
    answerList(contents.map((content, index) => ({ name: `agent${index + 1}`, content })));
  const vote = (...contents: string[]) =>
    new Talk(
      library,
      user(taskMessage(task, undefined)),
      user(votingMessage(shown(...contents), ['agent1'], true)),
    ).reply(tools);
  const judging = decisionTools({ compares: false, plans: false });
  const nothing = { work: [], restarts: [], votes: [], selected: '' };
  const presentation = { ...nothing, plan: undefined, best: undefined };
  const review = (selected: string, ...contents: string[]) =>
    user(reviewMessage(task, shown(...contents), [], { ...nothing, selected }));
  const decide = (selected: string, ...contents: string[]) =>
    new Talk(library, review(selected, ...contents), user(decisionPrompt(1, 3, undefined))).reply(judging);

  test('it votes for the answer that quotes most, and says that this is no judgement', async () => {
    expect(await vote(one, two)).toMatchObject({
      tool: 'vote',
      input: { agent_id: 'agent2', reason: 'offline model: the answer that quotes most, not a judgement' },
    });
    const { input } = await vote(none, `${none}\n${none}`);
    expect(input).toMatchObject({
      agent_id: 'agent2',
      reason: expect.stringMatching(/no answer quotes anything.*not a judgement$/) as string,
    });
  });

  test('it restarts where the answer leaves out a part on which it finds something, and names that part', async () => {
    const { input, tool } = await decide('agent1', one, two);
    expect(tool).toBe('restart_orchestration');
    expect(input?.['reason']).toMatch(/"how many days of paid leave do employees have".*not judged$/);
    expect(input?.['instructions']).toBe('Also answer: how many days of paid leave do employees have');
  });

  test('it submits where every part is there, or nothing was found, and says that nothing was judged', async () => {
    const submitted = await decide('agent2', one, two);
    expect(submitted.tool).toBe('submit');
    expect(submitted.text).toContain('Nothing was judged');
    const unknown = user(
      reviewMessage('Who won, and who lost?', shown(none, none), [], { ...nothing, selected: 'agent1' }),
    );
    const talk = new Talk(library, unknown, user(decisionPrompt(1, 3, undefined)));
    expect((await talk.reply(judging)).tool).toBe('submit');
  });

  test('what was presented is looked at in the same way', async () => {
    const evaluate = (presented: string) =>
      new Talk(
        library,
        user(presentedMessage(task, { content: presented, text: presented }, presentation)),
        user(decisionPrompt(1, 3, undefined)),
      ).reply(judging);
    expect((await evaluate(one)).tool).toBe('restart_orchestration');
    expect((await evaluate(two)).tool).toBe('submit');
  });

  test('it presents the selected answer as it stands, and says what it is', async () => {
    const { text } = await new Talk(library, review('agent2', one, two), user(presentPrompt)).reply();
    expect(text).toBe(
      `${two}\n\n(The offline model quotes the folder "library". It is no language model, and has judged nothing.)`,
    );
  });
});
