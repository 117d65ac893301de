import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { RestartKind } from '../../src/protocol/research.ts';
import {
  criticismTool,
  dossierMessage,
  guidanceFor,
  ideaMessage,
  planTool,
  replanMessage,
  reportMessage,
  reportTool,
} from '../../src/workflows/research/prompts.ts';
import {
  answerMessage,
  aroundMessage,
  carryOut,
  improveMessage,
  problemMessage,
  subtaskMessage,
  validationMessage,
} from '../../src/workflows/plan-and-execute/prompts.ts';
import { analysisTool, finishTool, subtasksTool, validationTool } from '../../src/workflows/plan-and-execute/tools.ts';
import { library, Talk, tool, user } from '../support/offline.ts';

describe('research', () => {
  const corpus = fileURLToPath(new URL('../../examples/sample-corpus', import.meta.url));
  const idea = 'momentum trading strategy';
  const planned = async (kind: RestartKind, wish?: string, brought = idea): Promise<string[]> => {
    const talk = new Talk(corpus, user(ideaMessage(brought, undefined, 5)));
    const ideas = [String((await talk.reply([planTool])).input?.['idea'])];
    for (let iteration = 2; iteration <= 4; iteration += 1) {
      const guidance = guidanceFor(kind, wish);
      const tried = ideas.map((each) => `${each}: 40/100`);
      const told = { criticism: undefined, material: [], queries: [], goal: brought, mayKeepIdea: false };
      const notice = { iteration, most: 5, reason: 'Low.', guidance, tried, ...told };
      const { input } = await talk.reply([planTool], user(replanMessage(notice)));
      ideas.push(String(input?.['idea']));
    }
    return ideas;
  };

  test.each<RestartKind>(['prior_art', 'viability'])(
    'a plan keeps the idea, and drawn anew it adds other headings of the folder each time: %s',
    async (kind) => {
      const [first, ...others] = await planned(kind);
      expect(first).toBe(idea);
      for (const each of others) expect(each).toMatch(/^momentum trading strategy, and also: \S/);
      expect(new Set(others).size).toBe(3);
    },
  );

  test('a plan adds what a person asks for', async () => {
    const [, second] = await planned('person', 'Use sector rotation.');
    expect(second).toBe('momentum trading strategy, and also: Use sector rotation');
  });

  test('where the folder does not speak of the idea a plan adds nothing, and says so', async () => {
    expect((await planned('viability', undefined, 'sourdough bread')).at(-1)).toBe(
      'sourdough bread (plan 4, the same)',
    );
  });

  const dossier = (about: string, ...material: string[]) => ({
    idea: about,
    goal: about,
    approach: 'Look.',
    material,
    failed: 'Of 2 searches 1 failed: searxng 1.',
    gaps: ['The service answered 500.'],
    similar: [],
  });
  const notes = `[1.1] Momentum (notes.md:1)
It is old. A momentum trading strategy buys what has risen [7.7].

[1.2] Weather (weather.md:3)
Rain.

[1.3] Momentum trading strategy (report:abc)
An earlier report on a momentum trading strategy.`;
  const aspects = ['feasibility', 'risk'];

  test('a criticism scores by its rule, and says that nothing was judged', async () => {
    const criticise = async (about: string) =>
      (await new Talk(corpus, user(dossierMessage(dossier(about, notes)))).reply([criticismTool(aspects)])).input;
    const found = await criticise(idea);
    expect(found?.['scores']).toEqual({ feasibility: 60, risk: 60 });
    expect(found?.['similar']).toEqual(['1.1']);
    expect(found?.['criticism']).toMatch(
      /by a fixed rule, nothing was judged\..*\nA momentum .* has risen \[1\.1\]\.$/,
    );
    const none = await criticise('sourdough bread');
    expect(none?.['scores']).toEqual({ feasibility: 20, risk: 20 });
    expect(none?.['similar']).toEqual([]);
    expect(none?.['criticism']).toContain('Nothing found on "sourdough bread" in the material.');
  });

  test.each(['What is 12 * 12', '?'])('a word that happens to stand there is not the idea: %s', async (about) => {
    const talk = new Talk(corpus, user(ideaMessage(about, undefined, 3)));
    expect((await talk.reply([planTool])).input?.['idea']).toBe(about);
    const passage = '[1.1] Numbers (notes.md:1)\nThere are 12 notes.';
    const critic = new Talk(corpus, user(dossierMessage(dossier(about, passage))));
    const { input } = await critic.reply([criticismTool(aspects)]);
    expect(input?.['scores']).toEqual({ feasibility: 20, risk: 20 });
  });

  test('a report quotes what is on the idea, names the rest, and what was not searched', async () => {
    const write = async (about: string) =>
      (
        await new Talk(
          corpus,
          user(reportMessage({ ...dossier(about, notes), criticism: 'Fine.', judgement: '60/100', atLimit: false })),
        ).reply([reportTool])
      ).input;
    expect(await write(`${idea}, and also: Weather`)).toEqual({
      title: 'Momentum trading strategy',
      summary: expect.stringContaining('quotes and judges nothing') as string,
      sections: [
        { heading: 'What was found', text: 'A momentum trading strategy buys what has risen [1.1].\nRain [1.2].' },
        { heading: 'Found by the search, and not quoted', text: '[1.3]' },
        { heading: 'What was not searched', text: 'Not searched: The service answered 500.' },
      ],
    });
    expect(await write('sourdough bread')).toMatchObject({
      summary: expect.stringMatching(/^Nothing found on "sourdough bread"/) as string,
      sections: [{ text: 'Nothing found on "sourdough bread" in the material.' }, { text: '[1.1], [1.2], [1.3]' }, {}],
    });
  });
});

describe('solving', () => {
  const problem = 'Which product is of the region North, and what is the total revenue?';
  const table = 'region,product\nNorth,Rope\nSouth,Tent\nNorth,Lamp\n';
  const preview = 'Columns: region, product';
  const sales = { name: 'sales.csv', kind: 'table', mediaType: 'text/csv', bytes: 60, preview } as const;
  const picture = { name: 'a.png', kind: 'image', mediaType: 'image/png', bytes: 60, preview: '' } as const;
  const opening = user(problemMessage(problem, [sales]));

  test('each part is a requirement and a subtask; what is missing gets new ids', async () => {
    const parts = ['Which product is of the region North', 'what is the total revenue'];
    expect((await new Talk(library, opening).reply([analysisTool])).input).toMatchObject({ requirements: parts });
    expect((await new Talk(library, opening).reply([subtasksTool])).input).toEqual({
      subtasks: parts.map((description, index) => ({ id: `step_${index + 1}`, description })),
    });
    const state = { ids: ['step_1', 'step_2'], results: [], deadEnds: [] };
    const more = user(improveMessage(['the weather'], state));
    expect((await new Talk(library, opening).reply([subtasksTool], more)).input).toEqual({
      subtasks: [{ id: 'step_3', description: 'the weather' }],
    });
  });

  test('there is no way around a dead end', async () => {
    const deadEnds = [{ id: 'step_1', description: 'the weather', error: 'Nothing found.' }];
    const around = user(aroundMessage({ ids: ['step_1'], results: [], deadEnds }, []));
    expect((await new Talk(library, opening).reply([subtasksTool], around)).input).toEqual({ subtasks: [] });
  });

  const names = ['list_attachments', 'read_attachment', 'query_table', 'calculate'];
  const tools = [finishTool, ...names.map((name) => tool(name, name, {}, []))];
  const brief = (description: string, attachments: Array<typeof sales | typeof picture>) =>
    user(
      subtaskMessage({
        id: 'step_1',
        description,
        problem,
        attachments,
        results: [],
        failure: undefined,
        found: '',
        deadEnds: [],
      }),
    );
  const carriedOut = async (description: string, content = table) => {
    const talk = new Talk(library, brief(description, [sales, picture]), user(carryOut('step_1')));
    expect((await talk.reply(tools)).tool).toBe('list_attachments');
    talk.returns([{ name: 'sales.csv' }]);
    expect(await talk.reply(tools)).toMatchObject({ tool: 'read_attachment', input: { name: 'sales.csv' } });
    talk.returns(content);
    return talk.reply(tools);
  };

  test('a subtask lists and reads the files, and quotes all rows that fit equally', async () => {
    expect(await carriedOut('Which product is of the region North')).toMatchObject({
      tool: 'finish_subtask',
      input: {
        status: 'completed',
        result: 'region: North, product: Rope (sales.csv:2)\nregion: North, product: Lamp (sales.csv:4)',
      },
    });
  });

  test('where more rows fit equally than are quoted it has failed: column names single out nothing', async () => {
    const { input } = await carriedOut('Which product is of which region', `${table}East,Rope\n`.repeat(3));
    expect(input).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('more than 5 places fit equally well') as string,
    });
  });

  test('what would have to be computed has failed, with the files that were looked at', async () => {
    expect((await carriedOut('what is the total revenue')).input).toEqual({
      status: 'failed',
      reason:
        'Nothing found on "what is the total revenue" in sales.csv (table), a.png (image). ' +
        'The offline model quotes; it does not compute.',
    });
  });

  test('without files a subtask looks in the folder', async () => {
    const end = async (description: string) => (await new Talk(library, brief(description, [])).reply(tools)).input;
    expect(await end('When is the fire alarm tested?')).toMatchObject({ status: 'completed' });
    expect(await end('What is 17 times 23?')).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^Nothing found on/) as string,
    });
  });

  test('results and reasons are put one below another; valid is what has no failed subtask', async () => {
    const shown = { id: 'step_1', description: 'First', text: 'One.', result: 'One.' };
    const failure = { id: 'step_2', description: 'Second', error: 'Nothing found on "Second" in x.' };
    const answer = (failures: Array<typeof failure>) => ({
      problem,
      analysis: { requirements: ['First', 'Second'], answerFormat: 'a text' },
      results: [shown],
      failures,
    });
    const { text } = await new Talk(library, user(answerMessage(answer([failure])))).reply();
    expect(text).toMatch(/^One\.\nNothing found on "Second" in x\.\n\n\(The offline model /);
    const work = [{ id: 'step_1', status: 'completed' as const, executions: 1, uses: [] }];
    const validate = async (failures: Array<typeof failure>) =>
      (await new Talk(library, user(validationMessage(answer(failures), work, text))).reply([validationTool])).input;
    expect(await validate([failure])).toEqual({
      is_complete: false,
      missing_requirements: ['Second'],
      quality: 'low',
      warnings: [expect.stringMatching(/only checks that every subtask has a result/)],
    });
    expect(await validate([])).toMatchObject({ is_complete: true });
  });
});
