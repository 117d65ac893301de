const segmenter = new Intl.Segmenter();

const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const invisible = /^[\p{Mark}\p{Control}\p{Format}]+$/u;

const cellsOf = (character: string): number => (invisible.test(character) ? 0 : wide.test(character) ? 2 : 1);

/** Characters as a person sees them. */
const charactersOf = (line: string): string[] =>
  Array.from(segmenter.segment(line), ({ segment }) => segment);

/** How many cells of a terminal a line of text takes: East Asian characters and emoji take two each. */
export function widthOf(line: string): number {
  return charactersOf(line).reduce((cells, character) => cells + cellsOf(character), 0);
}

/** The beginning of a line that fits, with `…` where something is left out. */
export function startOf(line: string, room: number): string {
  if (widthOf(line) <= room) return line;
  return room < 1 ? '' : `${fitting(charactersOf(line), room - 1).join('')}…`;
}

/** The end of a line that fits, with `…` where something is left out. */
export function endOf(line: string, room: number): string {
  if (widthOf(line) <= room) return line;
  return room < 1
    ? ''
    : `…${fitting(charactersOf(line).toReversed(), room - 1)
        .toReversed()
        .join('')}`;
}

function fitting(characters: string[], room: number): string[] {
  let cells = 0;
  const firstOutside = characters.findIndex((character) => (cells += cellsOf(character)) > room);
  return firstOutside === -1 ? characters : characters.slice(0, firstOutside);
}
