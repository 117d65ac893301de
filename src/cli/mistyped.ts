import { meaningsOfOthers, meaningsOfVariables } from '../config/environment-variables.ts';
import { didYouMean } from '../config/problems.ts';
import { shellWord } from '../util/text/shell-word.ts';

/** Words by which other programs do what a command of this one does, and which no command of another meaning is near to. */
const synonyms: Record<string, string> = {
  attach: 'watch',
  kill: 'cancel',
  log: 'show',
  logs: 'show',
  ls: 'list',
  ps: 'list',
  resume: 'watch',
  run: 'ask',
  runs: 'list',
  status: 'list',
  stop: 'cancel',
  version: '--version',
};

/** That there is no such command, and which one may be meant. A question is not one, but is meant for `ask`. */
export function unknownCommandText(word: string, names: string[]): string {
  const meant = Object.hasOwn(synonyms, word) ? ` did you mean ${synonyms[word]}?` : didYouMean(word, names);
  const hint = /\s/.test(word) ? ` to ask a team: reprise ask ${shellWord(word)}` : meant;
  return `error: unknown command '${word}'${hint && `;${hint}`}\n(reprise --help lists all commands)`;
}

const prefix = 'REPRISE_';

const known = [...Object.keys(meaningsOfVariables), ...Object.keys(meaningsOfOthers)]
  .filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length));

/** A line for each variable that is nearly one of Reprise's: without it the default would hold, and nobody would know. */
export const mistypedVariables = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.includes(name.slice(prefix.length)))
    .flatMap((name) => {
      const meant = didYouMean(name.slice(prefix.length), known);
      return meant === '' ? [] : [`${name} is no variable of Reprise's;${meant.replace('mean ', `mean ${prefix}`)}`];
    });
