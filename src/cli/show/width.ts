import stringWidth from 'string-width';

/** The width of standard output; what is not a terminal gets lines as they are. */
export const columnsOf = ({ columns, isTTY }: { columns?: number; isTTY?: boolean }): number =>
  isTTY ? columns || 80 : Infinity;

/** A text in lines of whole words that fit into the width. Code and tables stay as they are, since they may be copied. */
export function wrappedText(text: string, columns: number): string {
  let isCode = false;
  const piecesOf = (line: string): string[] => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode || line.trimStart().startsWith('|') ? [line] : wrapped(line, columns);
  };
  return text.split('\n').flatMap(piecesOf).join('\n');
}

/** A line in pieces of whole words that are not wider than this. Further pieces keep the first one's indentation. */
export function wrapped(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const indentation = /^ */.exec(line)?.[0] ?? '';
  const pieces: string[] = [];
  let piece = indentation;
  for (const word of line.trimStart().split(' ')) {
    const longer = piece.trim() === '' ? indentation + word : `${piece} ${word}`;
    if (stringWidth(longer) <= width || piece.trim() === '') piece = longer;
    else {
      pieces.push(piece);
      piece = indentation + word;
    }
  }
  return [...pieces, piece];
}
