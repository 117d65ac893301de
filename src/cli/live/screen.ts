import stringWidth from 'string-width';

export type Screen = { columns: number; rows: number };

/** A terminal that does not know its size, such as one under `script` or of a container, has 80 columns and 24 rows. */
export const screenOf = ({ columns, rows }: Partial<Screen>): Screen => ({
  columns: columns || 80,
  rows: rows || 24,
});

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Breaks a text into lines, between words where it can. A character of double width counts as two columns. */
export function wrapped(text: string, columns: number): string[] {
  return text
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => wrappedLine(line, columns));
}

function wrappedLine(line: string, columns: number): string[] {
  if (stringWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let last = '';
  let width = 0;
  const begin = (text: string): void => {
    lines.push(last.trimEnd());
    last = text;
    width = stringWidth(text);
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wordWidth = stringWidth(word);
    if (width + wordWidth <= columns) {
      last += word;
      width += wordWidth;
    } else if (wordWidth <= columns) {
      // A line does not begin with the space at which it was broken.
      begin(word.trim());
    } else {
      for (const { segment } of graphemes.segment(word)) {
        if (width + stringWidth(segment) > columns && last !== '') begin('');
        last += segment;
        width += stringWidth(segment);
      }
    }
  }
  return [...lines, last];
}
