import { SentenceIndex } from '../../../tools/sentence-search.ts';
import type { Finding } from '../findings.ts';
import { numbered, shelfOf, type Shelf } from '../shelves.ts';
import { parsed, type Call, type Use } from '../uses.ts';

/** The tool that reads files. */
export const readTool = 'read_attachment';

/** How many parts of one file are read. */
const mostParts = 10;

const isError = ({ result }: Use): boolean => /^(?:Error|Exception): /.test(result);

/** The line behind a part of a file: what was shown, and where it goes on. */
const remark = /\n?\[(?:(?:lines|pages|characters) \d+ to \d+ of \d+|a part of )[^\]\n]*\]$/;
const goesOn = /it goes on (with by: "characters", )?from:? (\d+)\]$/;

/** What was read of a file so far, in order. */
const readsOf = (name: string, calls: Use[]): Use[] =>
  calls.filter(({ input, tool }) => tool === readTool && input['name'] === name);

/** The errors of reading files, a line each. */
export const readErrors = (calls: Use[]): string[] =>
  calls
    .filter((call) => call.tool === readTool && isError(call))
    .map(({ result }) => result.split('\n')[0] ?? '');

/** The call that reads what is still unread of a file; undefined: nothing, or it cannot be read. */
export function nextRead(name: string, calls: Use[]): Call | undefined {
  const reads = readsOf(name, calls);
  const last = reads.at(-1);
  if (last === undefined) return { tool: readTool, input: { name } };
  const [, characters, from] = goesOn.exec(last.result) ?? [];
  if (from === undefined || isError(last) || reads.length >= mostParts) return undefined;
  const by = characters === undefined ? {} : { by: 'characters' };
  return { tool: readTool, input: { name, from: Number(from), ...by } };
}

/** What was read of a file, as something to search: a PDF by its pages, JSON by its records, a text by its lines. */
export function shelfOfFile(name: string, calls: Use[]): Shelf {
  const text = textOfFile(readsOf(name, calls).filter((call) => !isError(call)));
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return shelfOf(recordsOf(value, name, ''));
  const pages = text.split(/^(?=\[page \d+\]$)/m);
  if (!pages[0]?.startsWith('[page ')) return numbered(new SentenceIndex([{ name, text }]));
  return {
    index: new SentenceIndex(
      pages.map((page) => {
        const [head = '', ...lines] = page.split('\n');
        return { name: `${name} ${head}`, text: lines.join('\n') };
      }),
    ),
    placeOf: ({ source }) => source,
  };
}

/** Parts by lines are put at their places, so that the lines keep their numbers. */
function textOfFile(reads: Use[]): string {
  const lines: string[] = [];
  for (const { input, result } of reads) {
    const part = result.replace(remark, '');
    const from = Number(input['from'] ?? 1);
    if (input['by'] === 'characters') lines.push(`${lines.pop() ?? ''}${part}`);
    else if (part.startsWith('[page ')) lines.push(...part.split('\n'));
    else part.split('\n').forEach((line, index) => (lines[from - 1 + index] = line));
  }
  return Array.from(lines, (line: string | undefined) => line ?? '').join('\n');
}

/** Each object as a sentence of its plain values, with the way to it. */
function recordsOf(value: unknown, place: string, key: string): Finding['sentences'] {
  if (typeof value !== 'object' || value === null) {
    return [{ text: `${key === '' ? '' : `${key}: `}${String(value).replace(/\s+/g, ' ')}`, place }];
  }
  const entries = Object.entries(value);
  const isPlain = (each: unknown): boolean => typeof each !== 'object' || each === null;
  const nested = entries.flatMap(([name, each]) => {
    if (Array.isArray(value)) return recordsOf(each, `${place}[${name}]`, key);
    return isPlain(each) ? [] : recordsOf(each, `${place} ${name}`, name);
  });
  const plain = Array.isArray(value) ? [] : entries.filter(([, each]) => isPlain(each));
  const text = plain.map(([name, each]) => `${name}: ${String(each).replace(/\s+/g, ' ')}`).join(', ');
  return [...(text === '' ? [] : [{ text, place }]), ...nested];
}
