/** A text file in a folder. Its name is its path from that folder, with forward slashes. */
export interface TextFile {
  name: string;
  text: string;
}

/** A sentence, list item or table row with its place. */
export interface Sentence {
  text: string;
  source: string;
  /** The line on which its paragraph begins, from 1. */
  line: number;
  /** The headings above it, outermost first, joined by ` / `. */
  heading: string;
}

/** Splits a file into sentences, one after the other. Each row of a table or of CSV becomes a sentence with the names of the columns. */
export function* sentencesOf({ name, text }: TextFile): Iterable<Sentence> {
  if (/\.(csv|tsv)$/i.test(name)) return yield* rowsOf(name, text);
  const plain = name.endsWith('.html') ? text.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]+>/gi, ' ') : text;
  yield* new Splitter(name).split(plain.split(/\r?\n/));
}

function* rowsOf(source: string, text: string): Iterable<Sentence> {
  const separator = source.toLowerCase().endsWith('.tsv') ? '\t' : ',';
  const [head = '', ...rows] = text.split(/\r?\n/);
  const names = cellsOf(head, separator);
  for (const [index, row] of rows.entries()) {
    if (row.trim() === '') continue;
    yield { text: rowText(names, cellsOf(row, separator)), source, line: index + 2, heading: '' };
  }
}

function cellsOf(row: string, separator: string): string[] {
  const quoted = separator === ',' ? row.match(/("([^"]|"")*"|[^,]*)(?:,|$)/g) : row.split(separator);
  return (quoted ?? []).map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"').trim());
}

const rowText = (names: string[], cells: string[]): string =>
  cells
    .map((cell, index) => (cell === '' ? '' : names[index] ? `${names[index]}: ${cell}` : cell))
    .filter((cell) => cell !== '')
    .join(', ');

/** Made when it is first needed, since the first one of a process takes 7 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a text in Markdown, or something like it, line by line. */
class Splitter {
  readonly #source: string;
  readonly #sentences: Sentence[] = [];
  #headings: string[] = [];
  #paragraph: string[] = [];
  #start = 1;
  #columns: string[] | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  *split(lines: string[]): Iterable<Sentence> {
    let fenced = false;
    for (const [index, line] of lines.entries()) {
      if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
      // A comment in HTML is not for readers.
      else if (!fenced && !/^\s*<!--(?:(?!-->).)*-->\s*$/.test(line))
        this.#line(line, index + 1, lines[index + 1] ?? '');
      yield* this.#sentences.splice(0);
    }
    this.#flush();
    yield* this.#sentences;
  }

  #line(line: string, number: number, next: string): void {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const underlined = line.trim() !== '' && this.#paragraph.length === 0 && /^(={3,}|-{3,}|~{3,})\s*$/.test(next);
    if (heading !== null) this.#heading(heading[1]?.length ?? 1, heading[2] ?? '');
    else if (underlined && !line.includes('|')) this.#heading(next.startsWith('=') ? 1 : 2, line);
    else if (/^\s*\|.*\|\s*$/.test(line)) this.#row(line, number);
    else if (line.trim() === '' || /^\s*([-=~*_])\1{2,}\s*$/.test(line)) this.#flush();
    else {
      const item = /^\s*(?:[-*+•]|\d+[.)])\s+/.test(line);
      if (item || /^\s*[\w "'-]+:\s/.test(line)) this.#flush();
      if (this.#paragraph.length === 0) this.#start = number;
      this.#paragraph.push(line.replace(/^\s*(?:[-*+•>]|\d+[.)])\s+/, '').trim());
    }
  }

  #heading(level: number, text: string): void {
    this.#flush();
    this.#headings = [...this.#headings.slice(0, level - 1), text.trim()];
  }

  #row(line: string, number: number): void {
    this.#flush(true);
    const cells = line
      .trim()
      .slice(1, -1)
      .split('|')
      .map((cell) => clean(cell.trim()));
    if (cells.every((cell) => /^:?-+:?$/.test(cell))) return;
    if (this.#columns === undefined) this.#columns = cells;
    else this.#add(rowText(this.#columns, cells), number);
  }

  #flush(inTable = false): void {
    if (!inTable) this.#columns = undefined;
    const text = this.#paragraph.join(' ');
    this.#paragraph = [];
    segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
    const sentences = [...segmenter.segment(clean(text))].map(({ segment }) => segment.trim());
    const [first = ''] = sentences;
    // A run-in heading is not a sentence of its own: `Expenses. Receipts are…`
    const label = sentences.length > 1 && first.split(' ').length <= 2 ? sentences.shift() : undefined;
    for (const sentence of sentences) this.#add(sentence, this.#start, label);
  }

  #add(text: string, line: number, label?: string): void {
    if (!/[\p{L}\p{N}]/u.test(text)) return;
    const heading = [...this.#headings, ...(label === undefined ? [] : [label])].join(' / ');
    this.#sentences.push({ text, source: this.#source, line, heading });
  }
}

function clean(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .replace(/(^|\W)[*_]([^*_]+)[*_](?=\W|$)/g, '$1$2')
    .replace(/``?/g, (mark) => (mark === '``' ? '`' : mark));
}
