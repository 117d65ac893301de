import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTexts } from '../../src/models/offline/retrieval.ts';
import { wordingsIn } from '../../src/models/offline/sections.ts';
import { linesOn } from '../../src/models/offline/topics.ts';
import { Talk, user } from '../support/offline.ts';

/** Questions of somebody who has just cloned the repository, with the pages of which each may be the right one. */
type Row = [question: string, ...pages: string[]];

const first: Row[] = [
  ['What is Reprise?', 'glossary.md'],
  ['How does voting work?', 'orchestration.md'],
  ['What is a restart?', 'orchestration.md'],
  ['What is Temporal?', 'temporal.md'],
  ['What is the difference between ask and chat?', 'glossary.md'],
  ['Is it production ready?', 'how-it-is-tested.md'],
  ['What is the offline model?', 'offline-model.md'],
  ['How much does it cost?', 'costs.md'],
  ['Do I need an API key?', 'providers.md'],
  ['How do I use my own model?', 'models.md', 'providers.md'],
  ['How do I write a tool?', 'tools.md'],
  ['Why does it use Temporal?', 'temporal.md'],
  ['Can agents ask me questions?', 'command-line.md', 'asking.md'],
  ['How do I stop a run?', 'command-line.md', 'temporal.md'],
  ['What does the final agent do?', 'orchestration.md'],
];

/** Put by newcomers, and answered from elsewhere before the pages had these words. */
const plain: Row[] = [
  ['is there a web interface', 'pages.md'],
  ['how do I add a tool', 'tools.md'],
  ['how do I get JSON output', 'command-line.md'],
  ['how can I get notified in slack', 'webhooks.md'],
];

/** Thought up when the rules were there. */
const further: Row[] = [
  ['How do I install Reprise?', 'first-hour.md', 'library.md'],
  ['Can I use Ollama?', 'providers.md'],
  ['What is a judge?', 'orchestration.md'],
  ['How do I limit what a run costs?', 'troubleshooting.md', 'orchestration.md', 'costs.md'],
  ['What happens when the server crashes?', 'how-it-works.md'],
  ['Where is my data stored?', 'stores.md', 'configuration.md', 'reference/environment.md'],
  ['How do I deploy it to Kubernetes?', 'deployment.md'],
  ['Does it work with Docker?', 'deployment.md', 'commands.md'],
  ['Is my data encrypted?', 'encryption.md'],
  ['How do I answer a question from an agent?', 'asking.md', 'command-line.md'],
  ['What is an orchestrator?', 'glossary.md'],
  ['Can agents run Python?', 'tools.md'],
  ['How do I search the web?', 'tools.md', 'research.md'],
  ['What is MCP?', 'tools.md', 'glossary.md'],
  ['How do I connect an MCP server?', 'tools.md'],
  ['How do I attach a file?', 'solving.md'],
  ['What is the difference between research and solve?', 'glossary.md'],
  ['Why was my run restarted?', 'orchestration.md'],
  ['How many agents can a team have?', 'orchestration.md'],
  ['How do I write a configuration file?', 'configuration.md', 'command-line.md'],
  ['What does degraded mean?', 'glossary.md'],
  ['Who can see my API keys?', 'security.md'],
  ['How do I resume a run after I closed my laptop?', 'command-line.md'],
  ['Is it safe to let agents run commands?', 'commands.md'],
  ['How is it tested?', 'how-it-is-tested.md'],
  ['What is a workspace?', 'workspaces.md'],
  ['How do I export traces?', 'telemetry.md'],
  ['How does research work?', 'research.md'],
  ['What is the viability score?', 'research.md'],
  ['Why is my run stuck?', 'troubleshooting.md'],
];

const answerOf = async (question: string): Promise<string> => (await new Talk(undefined, user(question)).reply()).text;

const citedOf = (answer: string, pages: string[]): string[] => pages.filter((page) => answer.includes(`docs/${page}`));

describe('a newcomer’s questions on Reprise are answered from the right page', () => {
  test.each([...first, ...plain])('%s', async (question, ...pages) => {
    const answer = await answerOf(question);
    expect(answer).not.toContain('Nothing found');
    expect(citedOf(answer, pages)).not.toEqual([]);
  });

  test('at least forty of forty-five are', async () => {
    const missed: string[] = [];
    for (const [question, ...pages] of [...first, ...further]) {
      const answer = await answerOf(question);
      if (citedOf(answer, pages).length === 0) missed.push(`${question}\n${answer}`);
    }
    expect(first.length + further.length).toBe(45);
    expect(missed.slice(5)).toEqual([]);
  });

  test('nineteen in twenty of all that people were found to ask are, and what is about something else finds nothing', async () => {
    const rows = readFileSync('test/fixtures/questions.txt', 'utf8').trim().split('\n');
    const missed: string[] = [];
    for (const row of rows) {
      const [question = '', pages = ''] = row.split(' | ');
      const answer = await answerOf(question);
      const isRight = pages === '-' ? answer.startsWith('Nothing found') : citedOf(answer, pages.split(' ')).length > 0;
      if (!isRight) missed.push(`${row}\n${answer}`);
    }
    expect(missed.slice(rows.length / 20)).toEqual([]);
  });

  test('each wording of the list leads to its page, and each heading in it is one', async () => {
    const list = wordingsIn(readFileSync('docs/asked.list', 'utf8'));
    const wordings = [...list].flatMap(([section, all]) =>
      all.map((wording) => ({ wording, source: section.replace(/ > .*/, '') })),
    );
    const missed: string[] = [];
    const texts = await openTexts();
    for (const { source, wording } of wordings)
      if (citedOf(linesOn(wording, texts).join('\n'), [source]).length === 0) missed.push(`${wording} (${source})`);
    expect(wordings.length).toBeGreaterThan(500);
    const named = texts.sections.all
      .filter(({ asked }) => asked.length > 0)
      .map(({ source, title }) => `${source} > ${title}`);
    expect([...list].flatMap(([section, all]) => (all.length > 0 ? [section] : [])).sort()).toEqual(named.sort());
    expect(missed).toEqual([]);
  });

  test.each<Row>([
    ['How much does a run cost?', 'costs.md'],
    ['How do agents vote?', 'orchestration.md'],
    ['How do I see my old runs?', 'command-line.md'],
    ['How do I resume a conversation?', 'command-line.md'],
    ['Do I need Temporal installed?', 'first-hour.md'],
    ['How do I use Postgres instead of SQLite?', 'stores.md'],
    ['How do I deploy it to production?', 'deployment.md'],
    ['Why does my run hang?', 'troubleshooting.md'],
    ['How do I debug a run?', 'troubleshooting.md'],
  ])('in words that people have for it: %s', async (question, ...pages) => {
    expect(citedOf(await answerOf(question), pages)).toEqual(pages);
  });

  test.each(['How do I limit the cost of a run?', 'How can I limit costs?'])(
    'with what to type: %s',
    async (question) => {
      expect(await answerOf(question)).toMatch(
        /^`--budget 0\.50` limits the cost .* \(docs\/troubleshooting\.md:\d+\)\n/,
      );
    },
  );

  test.each([
    'Who won the world cup in 2014?',
    'What is the capital of France?',
    'Write me a poem',
    'Why is the sky blue?',
    'How do I cook rice?',
    'What is the difference between a crocodile and an alligator?',
    'Is it safe to eat raw eggs?',
    'How does a car engine work?',
    'How do I install a dishwasher?',
    'Can I run a marathon without training?',
  ])('what is about something else still finds nothing: %s', async (question) => {
    expect(await answerOf(question)).toMatch(
      /^Nothing found on ".*" in the documentation of Reprise\.\n\n\(The offline/,
    );
  });
});

describe('the shape of a question says what comes first', () => {
  test('a definition, the section on it, and where to read on', async () => {
    expect((await answerOf('What is the offline model?')).split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^The offline model is the stand-in .* \(docs\/glossary\.md:\d+\)$/),
      expect.stringMatching(/^Without any API key .* \(docs\/offline-model\.md:\d+\)$/),
      'More: docs/offline-model.md, "The offline model"',
    ]);
  });

  test.each(['Define vote', 'votes', 'How does a vote work?', 'What does "vote" mean?', 'Explain the vote'])(
    'however it is worded: %s',
    async (question) => {
      expect(await answerOf(question)).toMatch(/^A vote is an agent's choice/);
    },
  );

  test.each([
    'What is the difference between an attempt and an iteration?',
    'How does an attempt differ from an iteration?',
    'attempt vs. iteration',
    'difference between attempt and iteration',
  ])('two terms are both defined: %s', async (question) => {
    expect(await answerOf(question)).toMatch(/^An attempt is .*\nAn iteration is .*\nMore: .*\nMore: /);
  });

  test('“it” is what the question before was about, or Reprise', async () => {
    const talk = new Talk(undefined, user('What is a restart?'));
    await talk.reply();
    expect((await talk.reply([], user('How does it work?'))).text).toMatch(/^A restart is /);
    expect(await answerOf('What does it do?')).toMatch(/^Reprise is .*\nBegin with the first hour/);
  });
});

test.each(['\n', '\r\n'])('a folder’s own asked.list leads to its sections, with line ends %j', async (end) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-asked-'));
  const texts = { 'bread.md': ['# Rising', '', 'Leave it in a warm place.'], 'tea.md': ['# Tea', '', 'Water it.'] };
  for (const [name, lines] of Object.entries(texts)) writeFileSync(join(folder, name), lines.join(end));
  try {
    writeFileSync(join(folder, 'asked.list'), ['bread.md > Rising', '  yeast; dough refuses to grow', ''].join(end));
    const { text } = await new Talk(folder, user('My dough refuses to grow')).reply();
    expect(text).toContain('Leave it in a warm place. (bread.md:3)');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
