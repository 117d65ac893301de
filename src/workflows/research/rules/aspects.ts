/** A line without Markdown and quotation marks. */
const plainLine = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/[*`"“”]|^[\s>#+•-]+|^\s*\d{1,2}[.)]\s+/g, '')
    .replace(/^\s*\|\s*/, '')
    .trim();

/** The end of a name with its number: a mark or a verb, and perhaps a scale. A range or a second number is in doubt. */
const statement =
  /^(?:\s+(?:score|rating|aspect))?\s*(?:\([^)\d]*\)\s*)?(?:[:=|]|[–—-](?=\s)|(?:is|at|gets|scores)\s)\s*\|?\s*(\d{1,3}(?:\.\d+)?)\s*(%|(?:\/|out of|of)\s*(?:100|20|10|5)\b)?(?!\s*(?:[–—-]|\/|to|out of|of|or|\|)\s*\d|[\d%]|\.\d)/i;

const isSpace = (character: string | undefined): boolean =>
  character === undefined || !/[\p{L}\p{N}_]/u.test(character);

function statedIn(line: string, name: string): Array<{ value: number; hasScale: boolean }> {
  return line.split(/[;,](?!\d)|\.\s/).flatMap((clause) => {
    const part = plainLine(clause);
    const own = part.toLowerCase().replaceAll(/[_-]/g, ' ');
    if (!own.startsWith(name) || !isSpace(own[name.length])) return [];
    const [, digits, scale] = statement.exec(part.slice(name.length)) ?? [];
    if (digits === undefined) return [];
    const base = Number(/\d+/.exec(scale ?? '')?.[0] ?? 100);
    return [{ value: (Number(digits) * 100) / base, hasScale: scale !== undefined }];
  });
}

/** What is read of a text, from its end, in characters: workflow code must come to rest soon. */
const maxChars = 100_000;

/**
 * The scores, 0 to 100, that a critic's free text states for the aspects, as in `- Feasibility: 70/100` or `| novelty | 40 |`.
 *
 * @returns undefined unless the text states one score, and no other, for each aspect; and if all are numbers up to 10 without a
 *   scale, which may be of one to 10
 */
export function aspectScoresIn(text: string, aspects: string[]): Record<string, number> | undefined {
  const lines = text.slice(-maxChars).split('\n');
  const scores: Record<string, number> = {};
  let isSure = false;
  for (const aspect of aspects) {
    const name = aspect.toLowerCase().replaceAll(/[_-]/g, ' ');
    const stated = lines.flatMap((line) => statedIn(line, name));
    const [first] = stated;
    if (first === undefined || first.value > 100 || stated.some(({ value }) => value !== first.value)) return undefined;
    isSure ||= first.hasScale || first.value > 10;
    scores[aspect] = Math.round(first.value * 1e4) / 1e4;
  }
  return isSure ? scores : undefined;
}
