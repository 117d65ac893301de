import { stemsOf } from '../../../tools/words.ts';
import { coverage } from '../judging.ts';

/** An idea, and what in it is new. */
export interface Idea {
  idea: string;
  added: string[];
}

const longest = 150;

/**
 * The first idea that was not tried: the subject with one phrase, then with two, and with as many more as it takes.
 *
 * @param tried texts that each hold an idea which was tried
 * @param least how many words an idea should have beside its subject
 */
export function newIdea(subject: string, phrases: string[], tried: string[], least: number): Idea {
  let last: Idea = { idea: subject, added: [] };
  for (const start of startsOf(phrases)) {
    last = widened(subject, start, phrases, least);
    const { idea } = last;
    if (idea.length <= longest && !tried.some((text) => coverage(idea, text) === 1)) return last;
  }
  return last;
}

/** Each phrase alone, then each with its neighbour, then with the one after that. */
function* startsOf(phrases: string[]): Generator<string[]> {
  for (const gap of phrases.keys()) {
    for (const [place, phrase] of phrases.slice(gap).entries()) {
      yield [...new Set([phrases[place] ?? '', phrase])];
    }
  }
}

function widened(subject: string, start: string[], phrases: string[], least: number): Idea {
  let best = ideaOf(subject, start);
  const after = phrases.slice(phrases.indexOf(start.at(-1) ?? '') + 1);
  for (const phrase of after) {
    if (newStems(subject, best.idea) >= least) break;
    const wider = ideaOf(subject, [...best.added, phrase]);
    if (wider.idea.length <= longest) best = wider;
  }
  return best;
}

function newStems(subject: string, idea: string): number {
  return new Set(stemsOf(idea)).size - new Set(stemsOf(subject)).size;
}

function ideaOf(subject: string, added: string[]): Idea {
  const joint = /\s(?:with|on)\s/.test(subject) ? ' and ' : ' ';
  return { idea: `${subject}${joint}${added.map(attached).join(' and ')}`, added };
}

/** A phrase with the word that ties it to a subject, unless it brings its own. */
function attached(phrase: string): string {
  if (/^(?:with|without|on|in|for|by|from|at|based)\s/i.test(phrase)) return phrase;
  return `${/\bdata$/i.test(phrase) ? 'on' : 'with'} ${phrase}`;
}
