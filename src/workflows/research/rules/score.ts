/** What is read at the most, from the end, and beside a number: workflow code must come to rest within two seconds. */
const longest = 100_000;
const mostNumbers = 1000;
const reach = 160;

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);
const oneOf = (text: string): string => `(?<!\\p{L})(?:${wordsOf(text).join('|')})(?!\\p{L})`;
const pattern = (source: string, flags = 'u'): RegExp => new RegExp(source, flags);
const units = wordsOf(`zero (?<=\ue000.)one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen`);
const tens = wordsOf('twenty thirty forty fifty sixty seventy eighty ninety');
const digits = String.raw`(?!0\d)\d{1,6}(?:\.\d{1,6})?`;
const amount = `(?<![\\d.])${digits}(?:%|/${digits})?`;
const changed = '(?:revis|lower|adjust|chang|updat|rose|ris|improv|increas|up|went|drop|fell|rais|down)';

/**
 * What may be written in several ways becomes one, in this order; in the end `7.5/10` for any fraction, `‹10›` for a scale,
 * `…` for a range. None looks far, or begins with a repetition that can start anywhere: a text may be anything.
 */
const rewritings: Array<[RegExp, string]> = [
  [/\u200b|\u200c|\u200d|\u20e3|\ue000|\ufe0f|['’](?:d|ll|s)\b/g, ''],
  [/<(?!strong|code|span|div)([a-z_]{3,30})>/g, ' $1: '],
  [/: ?\{|<\/?[a-z_ ]{1,30}>|\\boxed|["'’*_`†\\{}]|[#$](?!\d)/g, ' '],
  [/[–—−]/g, '-'],
  [/(?<=\p{L})-(?=\p{L})|\.{2,}/gu, ' '],
  [/[^\S\n]+/g, ' '],
  [/ ?\n[\n ]*/g, '\n'],
  [/^ ?(?:[>•-] )*(?:\d{1,2}[.)] (?=\p{L}))?|^[=-]{3,}$/gmu, ''],
  [/\b(?:(e|i)\.(g|e)|(approx|ca|vs))\./g, '$1$2$3'],
  // Numbers in words: `sixty five` becomes `6\ue000 five`, that `6\ue000 5`, and that `65`.
  [/\b(?:a|one) hundred\b/g, '100'],
  ...tens.map((ten, at): [RegExp, string] => [pattern(`\\b${ten}\\b`, 'g'), `${at + 2}\ue000`]),
  ...units.map((unit, at): [RegExp, string] => [pattern(`(?<!\\p{L})${unit}\\b`, 'gu'), `${at}`]),
  [/\ue000 (?=[1-9]\b)/g, ''],
  [/\ue000/g, '0'],
  [/(?<=\d) and a half\b/g, '.5'],
  [/(?<=\d),(?=\d{1,2}(?!\d))/g, '.'],
  [/(?<=\d) ?(?:percent\b|%)(?: ?\/ ?100\b)?/g, '%'],
  [/(?<=\d)(?: ?points?| ?pts)? ?(?:\/|out of|of)(?: a possible| a)? ?(?=\d)/g, '/'],
  [/(?<=\d)(?: ?points| ?pts|-?ish)\b|(?<=\/5) stars\b/g, ''],
  [/\b(?:iteration|round|version|draft|cycle) 1\b/g, 'initial'],
  [/\b(?:iteration|round|version|draft|cycle|section|chapter|pages?|step|part|item) \d[\d/.-]*/g, ''],
  [/(?:(?:on an? )?\bscale (?:of |from )?)?(?<![\d.])[01] ?(?:-|to) ?(5|20|100?)\b(?![%/])/g, '‹$1›'],
  [/(?<!\d)(?:\bout of(?: a)? ?|\/)(5|20|100?)\b|\b(10|100)[- ]point scale/g, '‹$1$2›'],
  [/(?<=\d) ?\(?‹(\d+)›\)?/g, '/$1'],
  [pattern(`(${changed}[^\\d\\n.]{0,40}) from ${amount} (?:to|-+>|→) (?=\\d)`, 'gu'), '$1 at '],
  [pattern(`${amount} ?(?:→|-+>|=>|,? (?:now )?${changed}\\p{L}* (?:down |up )?to) ?(?=\\d)`, 'gu'), ''],
  [pattern(`${amount}(?: ?- ?| to | or )${amount}|between ${amount} and ${amount}`, 'gu'), '…'],
  [/\d[\d .+*×x()/%]{0,100}= ?(?=\d)/g, '= '],
  [/[-=]>/g, ':'],
  [/(?<=^\p{L}[\p{L} &/]{1,40}):?\n(?=[^\p{L}\d\n]{0,9}\d)/gmu, ' '],
  [/(?:(?<=^\p{L}{1,20}):|(?<=viab\p{L}{1,9}))\n(?=[^\p{L}\d\n]{0,9}(?:score|rating)\b)/gmu, ' '],
];

// Not where they are used: in a workflow's sandbox an expression takes 7 µs each time it is come by.
const rule = /^[\s:-]*\|[\s|:-]*$/;
const wordy = /^\P{N}*\p{L}\P{N}*$/u;
const title = /^[\p{L} &/]{1,40}:?$/u;
const cellsOf = (row: string): string[] => row.split('|', 40).map((cell) => cell.trim().slice(0, 60));

/** Below a table's header, each cell as a line: `name column: cell`. */
function withoutTables(lines: string[]): string[] {
  let header: string[] | undefined;
  return lines.flatMap((line, index) => {
    if (rule.test(lines[index + 1] ?? '')) header = cellsOf(line);
    else if (!line.includes('|')) header = undefined;
    if (header === undefined) return line;
    const cells = cellsOf(line);
    const name = cells.find((cell) => wordy.test(cell)) ?? '';
    return cells.map((cell, column) => (cell === name ? '' : `${name} ${header?.[column] ?? ''}: ${cell}`));
  });
}

/** By these words a number is named as a score of the whole. */
const nouns = `score scores scored rating rated rate grade overall final total average mean verdict result assessment
  answer estimate judgement conclusion summary recommendation decision criticism critique bewertung mine yours give
  gave award assign assigned gets earns merits deserves say`;
/** These may stand between such a name and its number; any other word belongs to something else. */
const fillers = `is are was be been has here should may will would can only equals of as a an the about around out ends
  works comes stands approximately approx roughly circa ca near at to just mere now after maybe perhaps therefore hence
  so thus then it its this that my our your one i we for in on with idea plan proposal strategy concept approach
  project research estimated somewhere improved rose fell drops dropped went changed lowers lower revised updated
  adjusted corrected new current initial original up down value de percentage index level and points weighted composite
  combined aggregate arrive all things considered right work resulting namely ie but which think believe reflection
  correction confident conclude assigning leads brings us moderate good low medium high proceed caution best generous`;
const known = new Set(wordsOf(`${nouns} ${fillers}`));
const isKnown = (word: string): boolean => known.has(word) || /^(?:viab|‹)/.test(word);
const noun = pattern(oneOf(nouns));
const boundary = /^ ?(?:[^\p{L}\s:=-]|: (?:the|my|final|overall) )|, \p{L}/u;
/** The name of a viability, even after an unknown word: `Correction: viability`, `consider the viability`. */
const definite = /^ ?[:=-]|^ (?:.{0,20} )?(?:the|its|my|this|i|which|de) /;
const viabilityAfter = /^ (?:for |on |in |of )?(?:its |the )?viab\p{L}*(?: score| rating)?(?! ?[\p{L}\d:=])/u;

/** Aspects, by how they begin: what is a score of one of them is not the score. */
const aspect = /(?<!\p{L})(?:feasib|novel|innovat|data|risk|clar|rigo|evidence|market|cost|confiden)/u;
const ofAspect = pattern(`^[ (]*(?:(?:for|[io]n|of|to|terms|the) )*${aspect.source}(?!\\p{L}*[: ]*\\d)`);

/** Before a number that is supposed, wished for, denied, a bound, or of another plan. */
const voidBefore = pattern(
  oneOf(`if when unless eg example could might (?<!(?:i|we).)would should.the not never no(?![:,]) cannot minimum threshold
  cutoff target needs? reach up.to as.of was(?!.(?:scored|rated|estimated|given))
  (?:previous|last|prior|earlier|old|former)(?:ly)?(?!.(?:work|stud|research|art))`),
);
/** What may follow a number; other words say what it counts, or that it is a bound. */
const follows = pattern(
  `^(?! ?(?:\\+|=|[:,]? ?\\d|,? ?(?:and|or) \\d))(?: ?[^\\p{L}\\d\\s-]| ?- |$| ${oneOf(`because since as due given with but
  and(?!.(?:above|more|higher)) so overall at on for in which reflecting based mainly thanks though although while considering
  viab\\p{L}* now today to from reflects here by just is(?!.(?:the.|a.)?(?:needed|required|minimum|goal|target|not|too|possible|perfect))
  indicates suggests up down versus vs compared again also i we that rating score or.so idea plan proposal concept seems`)})`,
);
/** A number that is the whole text, but for its band. */
const sole = pattern(
  `^[^\\p{L}\\d<>≤≥+‹…-]*(?:about |around |approximately )?${digits}(?:%|/100?)?` +
    `(?:[^\\p{L}\\d+‹…]|${oneOf('major flaws significant moderate concerns good excellent concept')})*$`,
);
const amounts = pattern(
  `‹(\\d+)›|(?<![\\p{L}\\d.,/$€£^×+#]|\\d:|(?<!\\p{L}) ?-)(${digits})(%)?(?:/(${digits}))?(?![\\p{L}\\d^×/]|[.,:]\\d)`,
  'gu',
);

/** How much a number counts as the score, by its name, the known words before it; undefined: it is none. */
function weightOf(before: string, after: string, base = '', section = ''): number | undefined {
  const open = before.replace(/\((?!(?:previous|last|earlier)[^\d)]*\))[^()]*\)/g, '');
  const stop = [...open.matchAll(/\p{L}+|‹\d+›|[\d…<>≤≥±+$€£]/gu)].findLast(([word]) => !isKnown(word));
  const from = stop === undefined ? 0 : stop.index + stop[0].length;
  const name = open.slice(from);
  const lead = open.slice(0, from).split(/\d/).at(-1)!;
  const said = lead + name;
  if (!/^(?:1|5|10|20|100)?$/.test(base) || /\d[^\p{L}›]*$/u.test(open)) return undefined;
  // What follows the line that is asked for does not matter.
  const asked = base === '100' && /viab\p{L}* score[^\p{L}]*[:=]/u.test(name);
  if (voidBefore.test(said) || !(asked || follows.test(after))) return undefined;
  const viability = name.includes('viab') || viabilityAfter.test(after);
  const named = noun.test(name);
  // An unknown word right before the name says that it is the name of something else.
  const afresh = /\d/.test(stop?.[0] ?? '') && noun.test(name.split(',').at(-1)!);
  const apart = stop === undefined || afresh || boundary.test(name);
  if (!apart && !(viability && (definite.test(name) || viabilityAfter.test(after)))) return undefined;
  if (!viability) {
    if (aspect.test(lead) || ofAspect.test(after)) return undefined;
    if (aspect.test(section) && !/overall|final|total|verdict/.test(name)) return undefined;
    if (!named && ((base !== '10' && base !== '100') || after.startsWith('?'))) return undefined;
  }
  const around = `${said.slice(-60)}|${after.slice(0, 40)}`;
  const isLatest = /\b(?:final|finally|revised|updated|adjusted|corrected|new|now)\b/.test(around);
  return (viability ? 3 : named ? 2 : 1) * (/\b(?:initial|original)/.test(around) ? 0.1 : isLatest ? 1.2 : 1);
}

/** A text in small letters and in as few ways of writing as possible. */
function plainText(text: string): string {
  const letters = text
    .slice(-longest)
    .replace(/[\u00b9\u00b2\u00b3\u2070-\u2079½]|~~[^~\n]{1,80}~~/g, (all) => (all === '½' ? '.5' : ''))
    .normalize('NFKC')
    .slice(-longest)
    .toLowerCase();
  let plain = withoutTables(letters.split('\n')).join('\n').slice(-longest);
  for (const [from, to] of rewritings) plain = plain.replace(from, to);
  return sole.test(plain.trim()) ? `score: ${plain.trim()}` : plain;
}

/**
 * The viability score, 0 to 100, that a critic's text gives (the document "Conditional Restart Logic", section Scoring
 * System): first a score of the viability, then one of the whole, then a fraction without a name; of several the last, or
 * the one that is called final. Undefined: it gives none, or a doubtful one, and the critic is asked again.
 */
export function scoreIn(text: string): number | undefined {
  let section = '';
  let scale = '100';
  const lines = plainText(text).split('\n');
  const numbers = lines.flatMap((line) => {
    if (title.test(line)) section = line;
    return [...line.matchAll(amounts)].map((match) => ({ line, match, section }));
  });
  const found = numbers.slice(-mostNumbers).flatMap(({ line, match, section }) => {
    const { 0: all, 1: named, 2: value, 3: percent, 4: base, index } = match;
    scale = named ?? scale;
    const end = index + all.length;
    const before = line.slice(Math.max(0, index - reach), index).replace(/^.*[.!?;]\s/, '');
    const after = line.slice(end, end + reach).replace(/ ?(?:[.!;](?=\s|$)|(?<=\?)\s|$).*/, '');
    const top = Number(base ?? (percent || Number(value) > Number(scale) ? 100 : scale));
    const score = Math.round((Number(value) * 1e8) / top) / 1e6;
    const weight = score <= 100 ? weightOf(before, after, base, section) : undefined;
    return weight === undefined ? [] : { score, weight };
  });
  const most = Math.max(...found.map(({ weight }) => weight));
  const best = found.filter(({ weight }) => weight === most);
  return most < 2 && best.some(({ score }) => score !== best[0]?.score) ? undefined : best.at(-1)?.score;
}
