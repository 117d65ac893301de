/**
 * Asks the questions of questions.yaml and questions-of-files.yaml, which need tools, and compares the answers with the expected ones:
 *
 *   npm run example examples/gaia-like/run.ts                               # with the provider whose key is set
 *   npm run example examples/gaia-like/run.ts -- --model ollama/qwen3:8b    # with a model of your choice
 *   npm run example examples/gaia-like/run.ts primes teacher                # some of them
 *
 * It serves the pages that some of them are about, with a search, at an address of this machine for as long as it runs, and
 * lets the worker fetch from this address alone. Prints a line for each question, and the score.
 */
import { parseArgs } from 'node:util';
import { questionsOf, score } from '../solve/scoring.ts';
import { serveSite } from './site.ts';

const { values, positionals } = parseArgs({
  options: { config: { type: 'string' }, model: { type: 'string' } },
  allowPositionals: true,
});
const options = [
  '--tools',
  ...(values.config === undefined ? [] : ['--config', values.config]),
  ...(values.model === undefined ? [] : ['--model', values.model]),
];
const files = ['questions.yaml', 'questions-of-files.yaml'].map((name) => new URL(name, import.meta.url));
const questions = questionsOf(files, positionals);
const site = await serveSite();
try {
  const asked = questions.map((each) => ({ ...each, question: each.question.replaceAll('{site}', site.url) }));
  const variables = { SEARXNG_URL: site.url, REPRISE_FETCH_HOSTS: new URL(site.url).host };
  await score(asked, new URL('files/', import.meta.url), options, variables);
} finally {
  await site.close();
}
