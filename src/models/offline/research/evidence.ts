import { headings } from '../../../protocol/headings.ts';
import { stemsOf } from '../../../tools/words.ts';
import { coverage } from '../judging.ts';
import { Material } from './material.ts';
import { linesIn, oneLine, sectionsOf } from './sections.ts';

/** What a dossier holds, as far as it is judged. */
export interface Evidence {
  idea: string;
  plan: string;
  material: Material;
  /** The idea's words that stand in the material, and those that do not, as the idea has them. */
  found: string[];
  missing: string[];
  /** The share of the idea's words that the material holds, times the largest share that one passage holds. */
  support: number;
  /** How many similar works there are. */
  similar: number;
  /** How many lines on earlier research tell of a low score of much the same idea. */
  failures: number;
}

/** Below it an idea had serious flaws, by the names of the bands. */
const lowScore = 51;

/** The share of an idea's words that a line must hold to be about it. */
const sameIdea = 0.5;

/** Reads the message that a critic or a writer works from. */
export function evidenceIn(dossier: string): Evidence {
  const sections = sectionsOf(dossier);
  const idea = oneLine(sections.get(headings.idea) ?? '');
  const hits = sections.get(headings.material) ?? '';
  const material = new Material(hits);
  const words = keyWords(idea);
  const found = words.filter(isIn(new Set(material.passages.flatMap(({ stems }) => [...stems]))));
  const together = Math.max(0, ...material.passages.map(({ stems }) => words.filter(isIn(stems)).length));
  const titles = [...hits.matchAll(/^Similar work: (.+)\.$/gm)].at(-1)?.[1] ?? '';
  return {
    idea,
    plan: sections.get(headings.plan) ?? '',
    material,
    found,
    missing: words.filter((word) => !found.includes(word)),
    support: words.length === 0 ? 0 : (found.length / words.length) * (together / words.length),
    similar: titles === '' ? 0 : titles.split('; ').length,
    failures: linesIn(sections.get(headings.earlierResearch)).filter((line) => hasFailed(idea, line)).length,
  };
}

/** How much was found, as a sentence. */
export function foundLine({ found, material, missing }: Evidence): string {
  const { length } = material.passages;
  if (length === 0) return 'Nothing was found on the idea.';
  const passages = length === 1 ? 'one passage' : `${length} passages`;
  const all = found.length + missing.length;
  const rest = missing.length === 0 ? '' : `; nothing on ${missing.join(', ')}`;
  return `Found: ${passages}, with ${found.length} of the idea's ${all} words${rest}.`;
}

/** The words that say what a text is about, each once, as it has them. */
export function keyWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map((word) => stemsOf(word)[0]);
  return words.filter((_, place) => stems[place] !== undefined && stems.indexOf(stems[place]) === place);
}

const isIn =
  (stems: Set<string>) =>
  (word: string): boolean =>
    stemsOf(word).some((stem) => stems.has(stem));

function hasFailed(idea: string, line: string): boolean {
  const scores = [...line.matchAll(/(\d+(?:\.\d+)?)\/100/g)].map(([, score]) => Number(score));
  return scores.length > 0 && Math.max(...scores) < lowScore && coverage(idea, line) >= sameIdea;
}
