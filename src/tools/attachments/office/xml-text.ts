import { Parser } from 'htmlparser2';

/**
 * Which elements of a format of documents make its text, by their names without a prefix: prefixes are free, and no two
 * elements that matter here share a name. Formats: ECMA-376 (WordprocessingML, DrawingML), OASIS OpenDocument 1.3.
 */
export interface TextRules {
  /** What text stands in. Text elsewhere is not shown. */
  text: ReadonlySet<string>;
  paragraph: ReadonlySet<string>;
  /** Elements that stand for a text of their own, by their attributes. */
  marks: Readonly<Record<string, (attributes: Attributes) => string>>;
  /** What says of a run (`r`) that it is struck out (`~~so~~`), or above or below its line (`10^6`, `H_2`). */
  runMark?: (name: string, attributes: Attributes) => '~~' | '^' | '_' | undefined;
  /** Whose content is not shown: what was deleted, or stands there a second time. */
  skipped: ReadonlySet<string>;
  /** What stands in a line, although it may have paragraphs, and between which brackets. */
  inline: Readonly<Record<string, readonly [before: string, after: string]>>;
  cell: ReadonlySet<string>;
  row: string;
}

/** By their names, as they are written and without a prefix. */
export type Attributes = Readonly<Record<string, string>>;

/** How deep elements may be nested: the parser takes ever longer for each further level. */
const maxDepth = 1000;

/** Reads XML. Entities that a document declares itself stay as they are written. @throws `Error` if it is nested too deep */
export function parseXml(
  xml: string,
  handlers: {
    open?: (name: string, attributes: Attributes) => void;
    text?: (text: string) => void;
    close?: (name: string) => void;
  },
): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth) throw new Error(`its elements are nested more than ${maxDepth} deep`);
        const bare = Object.entries(attributes).map(([key, value]) => [plain(key), value] as const);
        handlers.open?.(plain(name), { ...Object.fromEntries(bare), ...attributes });
      },
      ontext: (text) => handlers.text?.(text),
      onclosetag(name) {
        depth -= 1;
        handlers.close?.(plain(name));
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

export const escapedXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const plain = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The text of a part of a document: a line for each paragraph and for each row of a table. */
export function textOfXml(xml: string, rules: TextRules): string {
  const lines = new Lines();
  let inText = 0;
  let skipping = 0;
  let run: 'none' | 'plain' | 'struck' = 'none';
  let raised = '';
  parseXml(xml, {
    open(name, attributes) {
      if (rules.skipped.has(name)) skipping += 1;
      if (rules.text.has(name)) inText += 1;
      if (name === 'r') run = 'plain';
      const ofRun = run === 'none' || skipping > 0 ? undefined : rules.runMark?.(name, attributes);
      if (ofRun === '~~' && run === 'plain') {
        run = 'struck';
        lines.add('~~');
      } else if (ofRun !== undefined && ofRun !== '~~') raised = ofRun;
      if (rules.cell.has(name)) lines.joined += 1;
      // A cell of a text document says itself over how many columns it reaches; elsewhere the covered ones are there.
      if (name === 'gridSpan') lines.covered = Math.min(100, Number(attributes['val']) || 1) - 1;
      if (skipping === 0 && Object.hasOwn(rules.inline, name)) {
        lines.joined += 1;
        lines.add(rules.inline[name]?.[0] ?? '');
      }
      const mark = Object.hasOwn(rules.marks, name) ? rules.marks[name] : undefined;
      if (skipping === 0 && mark !== undefined) lines.add(mark(attributes));
    },
    text(content) {
      if (inText === 0 || skipping > 0) return;
      lines.add(content.trim() === '' ? content : raised + content);
      if (content.trim() !== '') raised = '';
    },
    close(name) {
      if (rules.skipped.has(name)) skipping -= 1;
      if (rules.text.has(name)) inText -= 1;
      if (name === 'r') {
        if (run === 'struck') lines.add('~~');
        run = 'none';
        raised = '';
      }
      if (rules.cell.has(name)) {
        lines.joined -= 1;
        lines.endCell();
      } else if (skipping === 0 && Object.hasOwn(rules.inline, name)) {
        lines.add(rules.inline[name]?.[1] ?? '');
        lines.joined -= 1;
      } else if (name === rules.row) lines.endRow();
      else if (rules.paragraph.has(name) && skipping === 0) lines.add('\n');
    },
  });
  return lines.text;
}

/** Lines that grow together up to a length. */
class Lines {
  /** In how many cells and the like the text is, which have no lines of their own: tables may stand in tables. */
  joined = 0;
  covered = 0;
  readonly #lines: string[] = [];
  #line = '';
  #length = 0;

  add(more: string): void {
    if (this.#length > 20_000_000) return;
    this.#length += more.length;
    if (this.joined > 0) {
      this.#line += more.replaceAll('\n', ' ');
      return;
    }
    const [first = '', ...others] = more.split('\n');
    this.#line += first;
    for (const other of others) {
      this.#lines.push(this.#line);
      this.#line = other;
    }
  }

  /** A table in a cell has other bars, since all of it is one cell. */
  endCell(): void {
    const bar = this.joined > 0 ? '¦' : '|';
    const line = this.#line.trimEnd();
    this.#line = `${bar === '|' ? line.replace(/(?<= ¦[^|]*) \/$/, '') : line} ${bar} ${`${bar} `.repeat(this.covered)}`;
    this.covered = 0;
  }

  endRow(): void {
    const bars = this.joined > 0 ? ' ¦' : ' |';
    let end = this.#line.length;
    while (bars.includes(this.#line.charAt(end - 1)) && end > 0) end -= 1;
    if (this.joined > 0) {
      this.#line = `${this.#line.slice(0, end)} / `;
      return;
    }
    this.#lines.push(this.#line.slice(0, end));
    this.#line = '';
  }

  get text(): string {
    return [...this.#lines, this.#line]
      .map((line) => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
  }
}
