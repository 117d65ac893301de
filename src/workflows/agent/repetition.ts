/** How often a text must say the same at its end to be going round in circles, and how many characters that must be at least. */
type RepetitionSize = { times: number; characters: number };

/** A text that is over goes round in circles by less than one that may still come to an end, or that somebody has asked for. */
const whole: RepetitionSize = { times: 8, characters: 400 };
const growing: RepetitionSize = { times: 30, characters: 3000 };

const longestUnit = 400;

/** What is no part of a drawing, or of a row of figures. */
const said = /[\p{L}\p{Extended_Pictographic}\uFF01-\uFF60]/u;

/** The length of what a text says over and over at its end; undefined if it does not. */
function unitOf(text: string, { characters, times }: RepetitionSize): number | undefined {
  // Else each unit would be compared to its end, for nothing.
  if (!said.test(text.slice(-longestUnit))) return undefined;
  for (let unit = 1; unit <= longestUnit; unit++) {
    const length = Math.max(unit * times, characters);
    if (length + unit > text.length) return undefined;
    if (isPeriodic(text, unit, length) && said.test(text.slice(-unit))) return unit;
  }
  return undefined;
}

function isPeriodic(text: string, unit: number, length: number): boolean {
  for (let at = text.length - length; at < text.length; at++) if (text[at] !== text[at - unit]) return false;
  return true;
}

/** Where a text has said for the first time what it says over and over at its end, as its index; undefined if it does not. */
function firstRound(text: string, size: RepetitionSize): number | undefined {
  const unit = unitOf(text, size);
  if (unit === undefined) return undefined;
  let end = text.length;
  while (end > unit && text[end - 1] === text[end - 1 - unit]) end -= 1;
  return end;
}

/** Loops that count are told from lists by more rounds. */
const counting: RepetitionSize = { times: 20, characters: 800 };

const mark = '\0';

/** The same for a text that repeats a sentence and only counts on, as in "### 7. So it is, as we have said above." */
function firstCounted(text: string, size: RepetitionSize): number | undefined {
  const found = [...text.matchAll(/\d+/g)];
  const numbers = found.map(([digits]) => Number(digits));
  const masked = text.replaceAll(/\d+/g, mark);
  const unit = found.length < size.times ? undefined : unitOf(masked, size);
  if (unit === undefined) return undefined;
  const round = masked.slice(-unit);
  const perUnit = round.split(mark).length - 1;
  if (perUnit === 0 || !isProse(round + round)) return undefined;
  const last = numbers.slice(-perUnit * size.times);
  if (last.some((number, index) => index >= perUnit && ![0, 1].includes(number - last[index - perUnit]!)))
    return undefined;
  const end = firstRound(masked, size) ?? 0;
  // Each number before it is as much longer as it has more digits than one.
  const before = found.slice(0, masked.slice(0, end).split(mark).length - 1);
  return end + before.reduce((sum, [digits]) => sum + digits.length - 1, 0);
}

/** Whether a text is a sentence, and no row of a table, of data or of a program. */
const isProse = (text: string): boolean => /(?:\p{L}+[ ,'’-]+){5}\p{L}+/u.test(text) && !/[|{}"<>;=\t]/.test(text);

/** The most words of which a loop is made that has no rounds, as in "what was what was the best what was". */
const fewWords = 12;

/** How long such a loop is at least, in characters, where the text is over. */
const wholeOfFew = 1000;

/**
 * Where the end of a text begins that says a few words in ever another order; undefined if it is shorter than so many characters.
 * Words that are said once or twice belong to what came before it.
 */
function firstOfFew(text: string, characters: number): number | undefined {
  const times = new Map<string, number>();
  const starts: Array<{ word: string; at: number }> = [];
  let next = text.length;
  for (const { 0: found, index: at } of [...text.matchAll(/[\p{L}\p{M}'’]+/gu)].toReversed()) {
    const between = text.slice(at + found.length, next);
    // Rows of a table, of data or of a program have few words too.
    if (between.length > 20 || /[\d|{}"<>;=\t]/.test(between)) break;
    const word = found.toLowerCase();
    if (!times.has(word) && times.size === fewWords) break;
    times.set(word, (times.get(word) ?? 0) + 1);
    starts.push({ word, at });
    next = at;
  }
  const first = starts.findLast(({ word }) => times.get(word)! > 2);
  return first === undefined || text.length - first.at < characters ? undefined : first.at;
}

/** How much of a text's end is looked at for whether it goes round in circles, in characters. */
const lookAt = (longestUnit + 1) * growing.times;

/** A text without the repetitions at its end, of which one is left; undefined if it does not go round in circles. */
export function withoutRepetition(text: string): string | undefined {
  const trimmed = text.trimEnd();
  const isCounting = (): boolean => firstCounted(trimmed.slice(-lookAt), counting) !== undefined;
  const end = firstRound(trimmed, whole) ?? (isCounting() ? firstCounted(trimmed, counting) : undefined);
  const rest = trimmed.slice(0, end);
  const isOfFew = firstOfFew(rest.slice(-lookAt), wholeOfFew) !== undefined;
  if (isOfFew) return rest.slice(0, firstOfFew(rest, wholeOfFew)).trimEnd();
  return end === undefined ? undefined : rest;
}

/** After how many characters a growing text is looked at again. */
const lookEvery = 1000;

/** Watches a text while it grows for the moment in which it goes round in circles. */
export class RepetitionWatch {
  #end = '';
  #unseen = 0;

  /** @returns whether the text has said the same so often by now that it will not come to an end */
  add(piece: string): boolean {
    this.#end = (this.#end + piece).slice(-lookAt);
    this.#unseen += piece.length;
    if (this.#unseen < lookEvery) return false;
    this.#unseen = 0;
    const first = firstRound(this.#end, growing) ?? firstCounted(this.#end, growing);
    return (first ?? firstOfFew(this.#end, growing.characters)) !== undefined;
  }
}
