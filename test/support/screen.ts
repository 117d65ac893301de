/**
 * What a terminal shows of what is written to it: lines without the spaces at their ends, with all that has scrolled away.
 * It knows what the live view, the prompt and the question box use: newline, carriage return, and moving, erasing and
 * colouring by CSI. Characters of double width and wrapping are unknown to it.
 */
export function shownOn(written: string): string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [, numbers, letter, character] of written.matchAll(/\x1B\[[?>]?([\d;]*)([A-Za-z])|([^\x1B])/gu)) {
    const count = Number(numbers || 0);
    const here = (): string[] => (rows[row] ??= []);
    if (character === '\n') [row, column] = [row + 1, 0];
    else if (character === '\r') column = 0;
    else if (character !== undefined) {
      for (let gap = here().length; gap < column; gap++) here()[gap] = ' ';
      here()[column++] = character;
    }
    if (letter === 'A') row = Math.max(0, row - (count || 1));
    if (letter === 'B') row += count || 1;
    if (letter === 'C') column += count || 1;
    if (letter === 'D') column = Math.max(0, column - (count || 1));
    if (letter === 'G') column = Math.max(0, count - 1);
    if (letter === 'K' && count === 2) rows[row] = [];
    if (letter === 'K' && count === 0) here().splice(column);
    if (letter === 'J' && count === 0) {
      here().splice(column);
      rows.splice(row + 1);
    }
    here();
  }
  const lines = Array.from(rows, (each: string[] | undefined) => (each ?? []).join('').trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
