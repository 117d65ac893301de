/** How often a text must say the same at its end to be going round in circles, and how many characters that must be at least. */
interface RepetitionSize {
  times: number;
  characters: number;
}

/** A text that is over goes round in circles by less than one that may still come to an end, or that somebody has asked for. */
const whole: RepetitionSize = { times: 8, characters: 400 };
const growing: RepetitionSize = { times: 30, characters: 3000 };

/** The longest unit that is looked for, in characters. */
const longestUnit = 400;

/** The length of what a text says over and over at its end; undefined if it does not. Without a letter it may be a drawing. */
function unitOf(text: string, { characters, times }: RepetitionSize): number | undefined {
  for (let unit = 1; unit <= longestUnit; unit++) {
    const length = Math.max(unit * times, characters);
    if (length + unit > text.length) return undefined;
    if (isPeriodic(text, unit, length) && /\p{L}/u.test(text.slice(-unit))) return unit;
  }
  return undefined;
}

function isPeriodic(text: string, unit: number, length: number): boolean {
  for (let at = text.length - length; at < text.length; at++) if (text[at] !== text[at - unit]) return false;
  return true;
}

/** A text without the repetitions at its end, of which one is left; undefined if it does not go round in circles. */
export function withoutRepetition(text: string): string | undefined {
  const trimmed = text.trimEnd();
  const unit = unitOf(trimmed, whole);
  if (unit === undefined) return undefined;
  let end = trimmed.length;
  while (end > unit && trimmed[end - 1] === trimmed[end - 1 - unit]) end -= 1;
  return trimmed.slice(0, end);
}

/** After how many characters a growing text is looked at again, and how much of its end. */
const lookEvery = 1000;
const lookAt = (longestUnit + 1) * growing.times;

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
    return unitOf(this.#end, growing) !== undefined;
  }
}
