/**
 * Asks the questions of questions.yaml, each with its files, and compares the answers with the expected ones:
 *
 *   npm run example examples/solve/run.ts                                   # with the provider whose key is set
 *   npm run example examples/solve/run.ts -- --config examples/solve.yaml   # with models of your choice
 *   npm run example examples/solve/run.ts fares circles                     # some of them
 *
 * Each question is a run of `reprise solve`, which starts what is missing. Prints a line for each question, and the score.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { parse } from 'yaml';
import { holds, isRight } from './matching.ts';

interface Question {
  id: string;
  question: string;
  files: string[];
  expected: string;
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const { values, positionals } = parseArgs({
  options: { config: { type: 'string' } },
  allowPositionals: true,
});
const questions = (parse(readFileSync(path('questions.yaml'), 'utf8')) as Question[]).filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
if (questions.length === 0) {
  console.error(`There is no question of the id ${positionals.join(', ')}; see examples/solve/questions.yaml`);
  process.exit(2);
}

let right = 0;
let held = 0;
for (const { expected, files, id, question } of questions) {
  const words = [
    'solve',
    question,
    '--json',
    ...files.flatMap((file) => ['--attach', path(`files/${file}`)]),
    ...(values.config === undefined ? [] : ['--config', values.config]),
  ];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [path('../../bin/reprise.mjs'), ...words]);
    const { answer } = JSON.parse(stdout) as { answer: string };
    const verdict = isRight(answer, expected) ? 'right' : holds(answer, expected) ? 'holds it' : 'wrong';
    if (verdict === 'right') right += 1;
    if (verdict !== 'wrong') held += 1;
    console.log(`${verdict.padEnd(9)} ${id}: ${answer.split('\n')[0]} (expected: ${expected})`);
  } catch (error) {
    console.log(`failed    ${id}: ${(error as { stderr?: string }).stderr?.trim().split('\n').at(-1)}`);
  }
}
console.log(`${right} of ${questions.length} right, ${held} hold the answer`);
