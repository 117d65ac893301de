/**
 * Asks the questions of questions.yaml, each with its files, and compares the answers with the expected ones:
 *
 *   npm run example examples/solve/run.ts                                   # with the provider whose key is set
 *   npm run example examples/solve/run.ts -- --config examples/solve.yaml   # with models of your choice
 *   npm run example examples/solve/run.ts fares circles                     # some of them
 *
 * Each question is a run of `reprise solve`, which starts what is missing. Prints a line for each question, and the score.
 */
import { parseArgs } from 'node:util';
import { questionsOf, score } from './scoring.ts';

const { values, positionals } = parseArgs({
  options: { config: { type: 'string' } },
  allowPositionals: true,
});
const questions = questionsOf([new URL('questions.yaml', import.meta.url)], positionals);
const files = new URL('files/', import.meta.url);
await score(questions, files, values.config === undefined ? [] : ['--config', values.config]);
