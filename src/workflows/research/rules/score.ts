const wordsOf = (text: string): string[] => text.trim().split(/\s+/);
function listOf(text: string): (word: string) => boolean {
  const words = new Set(wordsOf(text));
  return (word) => words.has(word);
}
/** Names of the score: what is said of the viability beats what is said of the whole. */
const isViability = (word: string): boolean => word.startsWith('viab');
const isWhole = listOf('score rating grade i we');
/** What these begin is said of the whole, whatever stands before; a total without a base can be one of anything. */
const isOverall = listOf('overall final verdict total');
const isOwn = listOf('i we my overall final verdict total');
/** What ends a statement; words, where a reason follows. */
const isMark = listOf(', : ; = | ( ) [ ] { } - / . ! ? because since due considering reflects reflecting seems');
/** These may stand around a name and its number; by any other word the number may belong to something else. */
const isFiller = listOf(`a an the this that my our your its it is are am be of as at to for on in and so thus then here
  hence therefore now about around roughly approximately approx ie just only me us with rate rated rates scored scores
  give giving put assign assigned assigning award say estimate estimated conclude arrive comes stands gets earns
  deserves has resulting all idea plan proposal strategy approach project research view new concept assessment
  evaluation result summary conclusion answer recommendation criticism critique correction aspect criterion scoring
  scale breakdown reflection weighted current revised updated adjusted corrected finally overall final verdict total
  brings out works mere somewhere circa ca de`);
/** These may stand between a name and its number, and behind it. */
const isBand = listOf(`major significant moderate good excellent low medium high solid weak strong proceed caution
  restart index level value percent percentage average points stars`);
const isKnown = (word: string): boolean => [isFiller, isMark, isBand, isViability, isWhole].some((is) => is(word));
/** A sentence with one of these denies, supposes, bounds, remembers or compares. */
const isDoubt = listOf(`not no never none cannot cant isnt wasnt dont doesnt without hardly would could might may should
  id wed can ? if unless when once until assuming provided eg need needed needs required must ensure possible expected
  minimum maximum min max threshold limit below above under over least most more less than up between within range
  better best worst higher lower near nearly perhaps maybe previous previously prior earlier initial initially original
  originally old first last was were had been before after compared versus vs iteration iterations round version
  example`);
/** Behind a statement and a mark these only remark on it: `45/100, below the threshold`, `62 (was 45)`. */
const isRemark = listOf('not below above was would could up from minimum threshold previous previously');
/** Before a number they make it the last word; behind it they announce another. */
const isRevised = listOf('finally revised updated adjusted corrected');
const isAspect = (word: string): boolean => /^(?:feasib|novel|data|risk|testab|evidence|cost|confiden)/.test(word);

/** A number that stands alone, a percentage, or a fraction. */
const number = /^((?:0|[1-9]\d{0,2})(?:\.\d+)?)(%|\/(?:1|5|10|20|100))?$/;
/** A scale other than that to 100: beside it a small number may be one of that scale. */
const otherScale = /(?:^|[ (])(?:[01]-|\/ ?|out of |scale of )(?:5|10|20)\b|\b10.point/m;
const maxChars = 100_000; // What is read, from the end: workflow code must come to rest within two seconds.

/** A text in small letters, without Markdown; each number, fraction, range and mark is a word, each JSON key a line. */
function plainText(text: string): string {
  const digits = text.slice(-maxChars).replace(/[¹²³⁰-₟¼-¾]/g, '^'); // 65² is not 652, which NFKC would make of it.
  const letters = digits.normalize('NFKC').slice(-maxChars).toLowerCase();
  return letters
    .replace(/,?\s?"(\w{1,40})"\s?:/g, '\n$1:')
    .replace(/~~[^~\n]{1,80}~~|<\/?(?:b|strong)>|['‘’\\]|\p{M}|\p{Cf}/gu, '') // What is struck out, apostrophes
    .replace(/<\/?(\w{1,40})>/g, '\n$1 ')
    .replace(/\[\d{1,3}\]/g, ' reference ')
    .replace(/["“”«»*_`~≈•]|\p{So}/gu, ' ')
    .replace(/[–—−‐‑]/g, '-')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/^ ?(?:[>#+-]+ )*(?:\d{1,2}[.)] (?=\p{L}))?| #+ ?$/gmu, '') // Marks of quotes, headings and lists
    .replace(/\b(e|i|approx|vs|max|min)\.(?:(g|e)\.)?/g, '$1$2')
    .replace(/(^|[.!?:;] |overall, )(?:i|we)(?: would|d| can only)\b|\bthe above\b|\bno(?=[:,])/gm, '$1i ')
    .replace(/\b(?:major flaws|(?:moderate|significant) concerns)\b/g, 'moderate')
    .replace(/\b(?:rose|improved|drops|dropped|fell) (?:from \d\S{0,6} )?to (?=\d)/g, 'is ')
    .replace(/\b\d\S{0,6} ?(?:→|->) ?(?=\d)/g, '')
    .replace(/[-=]>|→|\.{2,}/g, ' : ')
    .replace(/(\d) ?(?:%|percent\b)/g, '$1%')
    .replace(/(\d) ?(?:points )?(?:\/|⁄|out of|of) ?(?=\d)/g, '$1/')
    .replace(/(\d%?) ?(?:-|to|or) ?(?=\d)/g, '$1-')
    .replace(/(?<![\d.])(?:[01]-|out of |\/ ?)100\b(?!%)/g, ' ') // The scale itself
    .replace(/([:=|(]) ?- (?=\d)/g, '$1 -')
    .replace(/(\p{L})-(?=[\p{L}\d])/gu, '$1 ')
    .replace(/[;=|()[\]{}]|(?<!\d)[,:]|[,:](?!\d)|[.!?](?=\s|$)/g, ' $& ');
}

/** Whether a number still is a score after the words that follow it, up to the one behind the next mark. */
function remains(kind: number, isStated: boolean, after: string[]): boolean {
  const mark = after.findIndex(isMark);
  const own = mark === -1 ? after : after.slice(0, mark);
  const behind = after[own.length + 1] ?? '.';
  if (['=', '?'].includes(after[mark] ?? '') || !own.every(isKnown) || own.some(isDoubt)) return false;
  if (isDoubt(behind) || isRevised(behind) || number.test(behind)) return isStated && isRemark(behind);
  if (isAspect(behind)) return kind === 3;
  return after[mark] !== '(' || isKnown(behind) || /^\+?\d/.test(behind);
}

type Score = { score: number; weight: number };
/** The scores in a line; they weigh 3 of the viability, 2 of the whole, 1 without a name, and half more if called final. */
function scoresIn(line: string, isOther: boolean, hasOtherScale: boolean): Score[] {
  const found: Score[] = [];
  let ofAspect = isOther;
  for (const words of line.split(/(?<= [.!?]) /).map(wordsOf)) {
    const isClear = !words.some(isDoubt);
    let [kind, hasDoubt, isFinal] = [1, false, false];
    let isAlone = true; // Alone, without an unknown word before it in its sentence, a fraction needs no name.
    let stranger = 0; // 1: an unknown word stands before the last mark; 2: since then, and a name is the name of that.
    for (const [at, word] of words.entries()) {
      hasDoubt ||= isDoubt(word);
      isFinal ||= word === 'final' || isRevised(word);
      if (isMark(word)) {
        ofAspect ||= stranger === 2 && ':-|'.includes(word);
        if (word === ';') kind = 1;
        stranger = ';|'.includes(word) ? 0 : Math.min(stranger, 1);
      } else if (isKnown(word) && (kind > 1 || !isBand(word))) {
        if (stranger === 2) continue;
        if (isOwn(word)) stranger = 0;
        if (isOverall(word)) [ofAspect, isAlone] = [false, true];
        if (isViability(word)) kind = 3;
        else if (isWhole(word) || (isOverall(word) && word !== 'total')) kind = Math.max(kind, 2);
      } else {
        const [, value, unit = ''] = number.exec(word) ?? [];
        const score = Math.round((Number(value) * 1e8) / Number(unit.replace('%', '/100').slice(1) || 100)) / 1e6;
        const name = words[at - 1] ?? '.';
        const isNamed = kind === 3 || (!ofAspect && (kind === 2 || (isAlone && /^\/100?$/.test(unit))));
        const isStated = kind === 3 || (kind === 2 && isMark(name));
        const isSmall = unit === '' && score > 0 && score <= 10 && (kind < 3 || hasOtherScale);
        const isShare = unit === '%' && (name === '(' || (kind < 3 && !isMark(name)));
        const isSure = stranger === 0 && !isSmall && !isShare && (isStated ? !hasDoubt : isClear);
        if (score <= 100 && isNamed && isSure && remains(kind, isStated, words.slice(at + 1, at + 12)))
          found.push({ score, weight: isFinal ? kind + 0.5 : kind });
        [kind, isAlone, ofAspect] = [1, false, ofAspect || isAspect(word)];
        stranger = value === undefined || stranger === 2 ? 2 : 0;
      }
    }
  }
  return found;
}

/**
 * The viability score, 0 to 100, that a critic's text gives (document "Conditional Restart Logic", Scoring System): rather
 * the final one, then the last. Undefined: it gives none, a doubtful one or several, and the critic is asked again.
 */
export function scoreIn(text: string): number | undefined {
  const plain = plainText(text).trim();
  const [hasScale, unknown] = [otherScale.test(plain), wordsOf(plain).filter((word) => !isKnown(word))];
  let title =
    unknown.length === 1 && /^\W*(?:approximately )?\d[\d.]*(?:%|\/100?)?(?: |$)/.test(plain) ? 'score : ' : '';
  let [ofSection, ofParagraph] = [false, false]; // Whether it is about something else than the whole
  const found = plain.split('\n').flatMap((line) => {
    const words = wordsOf(line).filter((word) => /[\p{L}\d]/u.test(word));
    if (line.trim() === '') ofParagraph = false;
    if (words.length === 0) return [];
    const scores = scoresIn(title + line, ofSection || ofParagraph, hasScale);
    const isTitle = words.length <= 5 && !/\d|[.!?] *$/.test(line);
    ofSection = isTitle ? !words.every(isKnown) : ofSection || words.slice(0, 4).some(isAspect);
    title = isTitle && !ofSection ? `${line} : ` : '';
    ofParagraph ||= !words.every((word) => isKnown(word) || number.test(word));
    return scores;
  });
  const most = Math.max(...found.map(({ weight }) => weight));
  const best = found.filter(({ weight }) => weight === most);
  const score = best.at(-1)?.score;
  return most >= 2.5 || found.every((one) => one.score === score) ? score : undefined;
}

/** Keys under which critics write the score of the whole in JSON, the most exact first. */
const wholeKeys = ['viability_score', 'viabilityScore', 'viability', 'criticism_score', 'overall_score', 'score'];

/** The score that an object says under a key of its own: what its other texts say does not make it doubtful. */
export function scoreUnder(object: Record<string, unknown>): number | undefined {
  const key = wholeKeys.find((each) => Object.hasOwn(object, each));
  const value = key === undefined ? undefined : object[key];
  return typeof value === 'number' || typeof value === 'string' ? scoreIn(`Viability score: ${value}`) : undefined;
}
