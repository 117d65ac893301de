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
