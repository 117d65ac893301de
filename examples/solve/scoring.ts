import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { holds, isRight } from './matching.ts';

export interface Question {
  id: string;
  question: string;
  /** Names of the files that the question is about. */
  files: string[];
  expected: string;
}

const program = fileURLToPath(new URL('../../bin/reprise.mjs', import.meta.url));

/** The questions of files, or those of them that are named. Ends the program if there is none of a name. */
export function questionsOf(files: URL[], ids: string[]): Question[] {
  const all = files.flatMap((file) => parse(readFileSync(file, 'utf8')) as Question[]);
  const unknown = ids.filter((id) => all.every((each) => each.id !== id));
  if (unknown.length === 0) return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
  console.error(`There is no question ${unknown.join(', ')}; there are: ${all.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}

/**
 * Asks each question in a run of `reprise solve`, which starts what is missing, and compares the answer with the expected one.
 * Prints a line for each question, and the score.
 *
 * @param files the folder of the questions' files
 * @param options further words of the command
 * @param variables of the command and of the worker that it starts, besides those of this process
 */
export async function score(
  questions: Question[],
  files: URL,
  options: string[],
  variables: Record<string, string> = {},
): Promise<void> {
  let right = 0;
  let held = 0;
  for (const { expected, files: names, id, question } of questions) {
    const attached = names.flatMap((name) => ['--attach', fileURLToPath(new URL(name, files))]);
    const words = [program, 'solve', question, '--json', ...attached, ...options];
    try {
      const env = { ...process.env, ...variables };
      const { stdout } = await promisify(execFile)(process.execPath, words, { env, maxBuffer: 100_000_000 });
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
}
