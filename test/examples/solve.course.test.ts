import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { holds, isRight } from '../../examples/solve/matching.ts';
import { sharedRunning } from '../support/running.ts';
import { completed, solveScript } from '../support/solve-script.ts';

const running = sharedRunning();
const keyless = sharedRunning(() => ({ OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }));

interface Question {
  id: string;
  question: string;
  files: string[];
  expected: string;
}

const path = (name: string): string => fileURLToPath(new URL(`../../examples/solve/${name}`, import.meta.url));
const questions = parse(readFileSync(path('questions.yaml'), 'utf8')) as Question[];
const inputOf = ({ files, question }: Question) => ({
  problem: question,
  attachments: files.map((file) => path(`files/${file}`)),
});

describe('an answer is right', () => {
  test.each([
    ['a number in another form', '$1,016.90', '1016.9', true],
    ['another number', '1017', '1016.9', false],
    ['a sentence with the number', 'It is 5.', '5', false],
    ['a text without case and signs', 'carla  ruiz.', 'Carla Ruiz', true],
    ['a time', '17:15', '17:15', true],
    ['a list, item by item', 'lhotse; Manaslu', 'Lhotse, Manaslu', true],
    ['a list in another order', 'Manaslu, Lhotse', 'Lhotse, Manaslu', false],
    ['a list that is too short', 'Lhotse', 'Lhotse, Manaslu', false],
    ['numbers in a list', '2, 17.0', '2, 17', true],
    ['nothing', '', '5', false],
  ])('%s', (_, answer, expected, right) => {
    expect(isRight(answer, expected)).toBe(right);
  });

  test('a sentence may hold it', () => {
    expect(holds('The sum is 1,016.90 (5 rows).', '1016.9')).toBe(true);
    expect(holds('The product is Tent.', 'tent')).toBe(true);
    expect(holds('The sum is 15.', '5')).toBe(false);
  });
});

test('there are ten questions at least, each with an id of its own and files', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10);
  expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  expect(questions.filter(({ files }) => files.length === 0)).toEqual([]);
});

test('all are answered, over their files, where the model knows the answer', async () => {
  const known = (prompt: string): string => questions.find(({ question }) => prompt.includes(question))?.expected ?? '';
  const run = running(
    solveScript({
      work: ({ prompt }) => completed(known(prompt)),
      synthesise: ({ prompt }) => ({ text: known(prompt) }),
    }),
  );
  const config = { plan: { backend: { type: 'openai' } } };
  for (const question of questions) {
    const { answer, outcome } = await run.solve({ ...inputOf(question), config });
    expect({ outcome, isRight: isRight(answer, question.expected) }).toEqual({ outcome: 'complete', isRight: true });
    const last = run.model.requests.at(-1)?.prompt ?? '';
    expect(last).toContain(question.question);
  }
  const prompts = run.model.requests.map(({ prompt }) => prompt).join('\n');
  for (const { files } of questions) for (const file of files) expect(prompts).toContain(`### ${file} (`);
});

test.each([
  ['karakoram', /^peak: K2, .*range: Karakoram.*\(peaks\.json\[1\]:1\)$/m, 'complete'],
  ['repair', /^The repair costs 640 euros.*\(minutes\.md:11\)$/m, 'complete'],
  [
    'revenue-north',
    /^Nothing found on .* in sales\.csv \(table\)\. The offline model quotes; it does not compute\.$/m,
    'partial',
  ],
  ['circles', /^Nothing found on .* in shapes\.png \(image\)\./m, 'partial'],
] as const)(
  'the offline model quotes what a file holds on %s, and otherwise says that it does not compute',
  async (id, said, outcome) => {
    const run = keyless(() => ({ status: 500 }));
    const question = questions.find((each) => each.id === id) as Question;
    const result = await run.solve(inputOf(question));
    expect(result.outcome).toBe(outcome);
    expect(result.answer).toMatch(said);
    expect(run.model.requests).toHaveLength(0);
  },
);
