import { meaningsOfOthers, meaningsOfVariables } from '../config/environment-variables.ts';
import { didYouMean } from '../config/problems.ts';

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
