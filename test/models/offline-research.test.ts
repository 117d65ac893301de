import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Content, Message, ToolSpec } from '../../src/protocol/message.ts';
import type { Plan, RestartKind } from '../../src/protocol/research.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { joinContent } from '../../src/workflows/agent/content.ts';
import {
  askForScore,
  dossierMessage,
  guidanceFor,
  ideaMessage,
  replanMessage,
  reportMessage,
  roleInstructions,
  unchangedIdea,
  type Dossier,
} from '../../src/workflows/research/prompts.ts';
import { criticismTool, planTool, reportTool } from '../../src/workflows/research/prompts.ts';
import { stemsOf } from '../../src/tools/words.ts';

const corpus = fileURLToPath(new URL('../../docs/sample-corpus', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'reprise-empty-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const textOf = (content: Content): string =>
  joinContent([content])
    .map((text) => (typeof text === 'string' ? text : ''))
    .join('');
const user = (content: Content): Message => ({ role: 'user', content: textOf(content) });

/** What the offline model submits; its call becomes part of the conversation. */
async function submit<T>(messages: Message[], tool: ToolSpec, folder = corpus): Promise<T> {
  const { message } = await offlineModel({ type: 'offline', folder }).complete({
    messages,
    tools: [tool],
    signal: new AbortController().signal,
    onDelta() {},
  });
  messages.push(message);
  expect(message.toolCalls?.[0]?.name).toBe(tool.name);
  return JSON.parse(message.toolCalls?.[0]?.arguments ?? '') as T;
}

interface Judged {
  criticism: string;
  scores: Record<string, number>;
}

interface Written {
  title: string;
  summary: string;
  sections: Array<{ heading: string; text: string }>;
}

const planner = (idea: string, lessons?: string): Message[] => [
  { role: 'system', content: roleInstructions.planner },
  user(ideaMessage(idea, lessons, 11)),
];
const aspects = ['feasibility', 'novelty', 'data', 'risk', 'testability'];
const judge = (dossier: Dossier, wanted = aspects): Promise<Judged> =>
  submit(
    [{ role: 'system', content: roleInstructions.critic }, user(dossierMessage(dossier))],
    criticismTool(wanted),
  );
const write = (dossier: Dossier, criticism?: string): Promise<Written> =>
  submit(
    [
      { role: 'system', content: roleInstructions.writer },
      user(reportMessage({ ...dossier, criticism, judgement: '72/100 (Good concept)', atLimit: false })),
    ],
    reportTool,
  );

const nothing = 'The query "momentum" has found nothing.';
const dossierOf = (idea: string, ...material: string[]): Dossier => ({
  idea,
  approach: 'Look at what is known.',
  material,
  gaps: [],
  similar: [],
  lessons: undefined,
});

const trading = dossierOf(
  'momentum trading strategy',
  `[1.1] Momentum (notes.md:1)
A momentum trading strategy buys what has risen. It was tested on data of 40 years [7.7], and the tests agree.
[1.2] Crashes of momentum (https://example.org/Momentum_(finance))
The risk of a momentum trading strategy is a crash after a panic. Data on it are rare, and tests are short.`,
  `[2.1] Momentum (notes.md:1)
A momentum trading strategy buys what has risen. It was tested on data of 40 years [7.7], and the tests agree.

Nothing else was found.`,
);
const baking = dossierOf(
  'sourdough bread with a cold fermentation',
  `[1.1] Cold fermentation (bread.md:3)
Sourdough bread that rises in a cold place for a night tastes of more than bread from a warm one.
[1.2] What goes wrong (bread.md:9)
With sourdough in the cold, fermentation may fail: a weak starter is the main risk for such bread.
[1.3] A comparison (bread.md:15)
In a test of twelve loaves, sourdough bread after a cold fermentation was compared with a control; the data are few.`,
);

describe('a plan', () => {
  test('keeps the idea as it was brought at first, on one line, with queries on it, its risks and its data', async () => {
    const plan = await submit<Plan>(planner('Momentum trading\nstrategy.'), planTool);
    expect(plan.idea).toBe('Momentum trading strategy');
    expect(plan.approach).toContain('Momentum trading strategy');
    expect(plan.queries).toEqual([
      'Momentum trading strategy',
      'Momentum trading strategy risks limits',
      'Momentum trading strategy data tests',
    ]);
  });

  test('takes earlier research into account', async () => {
    const { approach } = await submit<Plan>(planner('momentum', 'Tried: momentum: 40/100'), planTool);
    expect(approach).toContain('"Tried: momentum: 40/100"');
  });

  test.each<[RestartKind, string]>([
    ['prior_art', corpus],
    ['viability', corpus],
    ['no_score', corpus],
    ['prior_art', empty],
    ['viability', empty],
  ])('is drawn anew ten times with ten different ideas: %s, %s', async (kind, folder) => {
    const messages = planner('momentum trading strategy');
    const ideas = [(await submit<Plan>(messages, planTool, folder)).idea];
    for (let iteration = 2; iteration <= 11; iteration += 1) {
      const tried = ideas.map((idea) => `${idea}: 40/100 (Significant concerns)`);
      const guidance = guidanceFor(kind, undefined);
      const criticism = kind === 'prior_art' ? undefined : 'Found little.\nMissing: data, tests.';
      messages.push(user(replanMessage({ iteration, most: 11, reason: 'Low.', guidance, criticism, tried })));
      const plan = await submit<Plan>(messages, planTool, folder);
      expect(plan.idea).toMatch(/^momentum trading strategy (?:with|on) .{4,}$/);
      expect(plan.idea.length).toBeLessThanOrEqual(150);
      expect(plan.queries.length).toBeLessThanOrEqual(4);
      ideas.push(plan.idea);
    }
    expect(new Set(ideas.map((idea) => [...new Set(stemsOf(idea))].sort().join(' '))).size).toBe(11);
  });

  const again = async (guidance: string, criticism?: string): Promise<Message[]> => {
    const messages = planner('momentum trading strategy');
    await submit(messages, planTool);
    const tried = ['momentum trading strategy: 40/100'];
    messages.push(user(replanMessage({ iteration: 2, most: 3, reason: 'Low.', guidance, criticism, tried })));
    return messages;
  };

  test.each<[string, RestartKind, string | undefined, string | undefined, RegExp]>([
    [
      'data that similar works do not have, with so many new words that these are no longer similar',
      'prior_art',
      undefined,
      undefined,
      /^momentum trading strategy on .+ data and on .+ data$/,
    ],
    [
      'what the offline critic misses',
      'viability',
      undefined,
      'Missing: data, limits to risk, tests.',
      /with data, limits to risk and tests$/,
    ],
    [
      'what another critic misses',
      'viability',
      undefined,
      'It lacks position limits, and I doubt it.',
      /with position limits$/,
    ],
    [
      'what the folder says on risks, where the critic names nothing',
      'viability',
      undefined,
      'Prices are missing in [1.1].',
      /with position limits and stop losses$/,
    ],
    [
      'what a person asks for',
      'person',
      'Use sector rotation based on economic cycles instead. Thanks!',
      undefined,
      /with sector rotation based on economic cycles$/,
    ],
  ])('drawn anew adds %s', async (_, kind, guidance, criticism, expected) => {
    const { idea } = await submit<Plan>(await again(guidanceFor(kind, guidance), criticism), planTool);
    expect(idea).toMatch(expected);
  });

  test('told that its idea was tried already, it gives another one', async () => {
    const messages = await again(guidanceFor('viability', undefined));
    const { idea } = await submit<Plan>(messages, planTool);
    messages.push(user(unchangedIdea(idea)));
    expect((await submit<Plan>(messages, planTool)).idea).not.toBe(idea);
  });
});

describe('a criticism', () => {
  test.each([
    ['trading', trading],
    ['baking', baking],
  ])('finds an idea viable that its material covers, and cites it: %s', async (_, dossier) => {
    const { criticism, scores } = await judge(dossier);
    expect(Object.keys(scores)).toEqual(aspects);
    for (const score of Object.values(scores)) {
      expect(score).toBeGreaterThanOrEqual(51);
      expect(score).toBeLessThanOrEqual(85);
    }
    expect(criticism).toMatch(/\[1\.1\]/);
    expect(criticism).not.toMatch(/\[7\.7\]|Missing/);
    expect(criticism).toMatch(/Offline model/);
  });

  test('without material is low in every aspect, and names what is missing', async () => {
    const { criticism, scores } = await judge(dossierOf('momentum', nothing), [...aspects, 'fair_use']);
    expect(Math.max(...Object.values(scores))).toBeLessThan(51);
    expect(criticism).toContain('Missing: data, limits to risk, tests, fair use.');
  });

  test('finds less novelty the more similar works there are', async () => {
    const novelty = async (count: number): Promise<number> => {
      const similar = Array.from({ length: count }, (_, place) => `Work ${place}`);
      return (await judge({ ...trading, similar })).scores['novelty'] ?? 0;
    };
    const scores = await Promise.all([0, 2, 5].map(novelty));
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(new Set(scores).size).toBe(3);
  });

  test('is lower where part of the idea stands nowhere, and where much the same has failed before', async () => {
    const { feasibility = 0 } = (await judge(trading)).scores;
    const partly = await judge({ ...trading, idea: 'momentum strategy by astrology' });
    expect(partly.scores['feasibility']).toBeLessThan(51);
    expect(partly.criticism).toContain('nothing on astrology');
    const lessons = 'momentum strategy: 22/100\nbread: 10/100\nmomentum trading strategy: 80/100';
    expect((await judge({ ...trading, lessons })).scores['feasibility']).toBe(feasibility - 5);
  });

  test('judges an aspect of any other name by what the material says of it', async () => {
    const { scores } = await judge(trading, ['crash_panic', 'ethics']);
    expect(scores['crash_panic']).toBeGreaterThan(scores['ethics'] ?? 100);
  });

  test('is given again to whoever asks for a score', async () => {
    const messages = [user(dossierMessage(trading)), user(askForScore)];
    expect(await submit(messages, criticismTool(aspects))).toEqual(await judge(trading));
  });
});

describe('a report', () => {
  test.each([
    ['trading', trading, ['1.1', '1.2']],
    ['baking', baking, ['1.1', '1.2', '1.3']],
  ])('cites only marks that exist, and says nothing twice: %s', async (_, dossier, known) => {
    const { criticism } = await judge(dossier);
    const { title, summary, sections } = await write(dossier, criticism);
    expect(title.toLowerCase()).toBe(textOf(dossier.idea));
    expect(summary).toMatch(/72\/100 \(Good concept\).*offline model/);
    expect(sections.map(({ heading }) => heading)).toEqual([
      'What was found',
      'What speaks against it',
      'How to examine it',
    ]);
    const text = sections.map((section) => section.text).join('\n');
    const marks = new Set([...text.matchAll(/\[(\d+\.\d+)\]/g)].map(([, mark]) => mark));
    expect(marks).toEqual(new Set(known));
    expect(new Set(text.split('\n')).size).toBe(text.split('\n').length);
  });

  test('without material says that nothing was found, and what was not searched', async () => {
    const { summary, sections } = await write({
      ...dossierOf('momentum', nothing),
      gaps: ['The service answered 500.'],
    });
    expect(summary).toContain('Nothing was found');
    expect(sections.at(-1)).toEqual({
      heading: 'What is not known',
      text: 'Nothing was found on: momentum.\nNot searched: The service answered 500.',
    });
  });

  test.each(['', '?', '## Idea'])('is never empty: %j', async (idea) => {
    const { title, summary, sections } = await write({ ...dossierOf(idea), approach: '' });
    expect([title, summary, ...sections.map(({ text }) => text)].every((text) => text.trim() !== '')).toBe(
      true,
    );
    expect(sections.length).toBeGreaterThan(0);
  });
});
