/** Words that do not say what a sentence or a question is about. */
const stopWords = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but by ' +
    'can come could describe did do does doing done down during each either explain few find for from further gave get gets give given ' +
    'go had happen happened happens has have having he her here hers him his how i if in into is it its itself just know let like ' +
    'list made make makes many may me mean means might more most much must my name need no nor not of off on once one only or other others ' +
    'our out over own please really said same say says shall she should so some such take tell than that the their them then there ' +
    'these they this those through time times to too under until up us use used uses very was we were what when where whether which while who whom ' +
    'whose why will with would you your yours ' +
    // What is left of them before an apostrophe, or without one.
    'aren couldn didn doesn doesnt don dont hasn haven isn shouldn wasn weren whats wouldn'
  ).split(' '),
);

/** Takes the commonest English endings off a word, which makes `restarts` and `restarted` the same as `restart`. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  const trimmed = base.replace(/(?:ing|ed|ly)$/, '');
  // What is doubled before an ending may be so without one: `stopped` and `stop`, but `installed` and `install`.
  return (trimmed.length < 3 ? base : trimmed).replace(/([bdfglmnprt])\1$/, '$1').replace(/e$/, '');
}

/** The stems of a text's words in order, without stop words. `ask_others` is two words, and neither is a stop word. */
export function stemsOf(text: string): string[] {
  const names = text.toLowerCase().match(/[\p{L}\p{N}_]+(?:['’]\p{L}+)?/gu) ?? [];
  return names.flatMap((name) => {
    const words = name
      .replace(/['’]\p{L}+$/u, '')
      .split('_')
      .filter(Boolean);
    return (words.length > 1 ? words : words.filter((word) => !stopWords.has(word))).map(stem);
  });
}

/** The share of one text's words that another text holds, from 0 to 1, where each word counts the same. */
export function wordsShared(wanted: string, text: string): number {
  const stems = new Set(stemsOf(wanted));
  const held = new Set(stemsOf(text));
  return [...stems].filter((stem) => held.has(stem)).length / Math.max(1, stems.size);
}

/** Fewer words in common than this are taken for chance, unless the idea has fewer itself. */
const fewestShared = 3;

/** The share of an idea's words that a text has, from 0 to 1 in hundredths; 0 if they share too few words to tell. */
export function similarityOf(idea: string, text: string): number {
  const wanted = wordsOf(idea);
  const shared = sharedBy(wanted, wordsOf(text));
  return shared < Math.max(2, Math.min(fewestShared, wanted.size)) ? 0 : hundredths(shared / wanted.size);
}

/**
 * Dice's coefficient of their words, in hundredths: an idea that gets further words moves away from its origin. 0 if
 * they share fewer than two words, since a single one is a subject and no idea.
 */
export function closeness(idea: string, other: string): number {
  const [one, two] = [wordsOf(idea), wordsOf(other)];
  const shared = sharedBy(one, two);
  return shared < 2 ? 0 : hundredths((2 * shared) / (one.size + two.size));
}

/** The stems of a text's words without its numbers, which do not say what an idea is. */
const wordsOf = (text: string): Set<string> => new Set(stemsOf(text).filter((stem) => !/^\d+$/.test(stem)));

const sharedBy = (one: Set<string>, other: Set<string>): number => [...one].filter((stem) => other.has(stem)).length;

const hundredths = (share: number): number => Math.round(share * 100) / 100;
