import { z } from 'zod';
import { didYouMean } from '../../config/problems.ts';
import type { RunFile, Store } from '../../store/store.ts';
import type { ToolDefinition } from '../definition.ts';
import { longestRead, ToolError } from '../tool.ts';
import type { ShownByTool } from '../tool-images.ts';
import { isDatabase } from './content.ts';
import { readPdf } from './pdf.ts';
import { queryTable } from './query.ts';
import { savedText, saveFile } from './save.ts';

/** The built-in package `builtin.attachments`, which reaches only the files of the workflow that calls. */
export const attachmentTools = (store: Store): ToolDefinition[] => [
  listTool(store),
  readTool(store),
  queryTool(store),
  viewTool(store),
  saveTool(store),
];

const listTool = (store: Store): ToolDefinition => ({
  name: 'list_attachments',
  description:
    'Lists the files that there are: those that came with the task and those that save_file has made, each with its ' +
    'kind (text, table, json, pdf, image, workbook, document, archive, audio, binary), its size in bytes, and a note where ' +
    'not all of it can be read. The files of an archive are listed with its name before theirs: papers.zip/first.pdf.',
  parameters: z.object({}),
  sideEffects: false,
  async execute(_: object, { workflowId }) {
    const files = await store.files(workflowId);
    return files.map(({ name, kind, bytes, note, from }) => ({
      name,
      kind,
      bytes,
      ...(from === 'tool' && { saved: true }),
      ...(note !== undefined && { note }),
    }));
  },
});

const readParameters = z.object({
  name: z.string().min(1).describe('The file, as list_attachments names it'),
  from: z.int().min(1).default(1).describe('The first page of a PDF, or line of another file, from 1'),
  length: z.int().min(1).optional().describe('How many of them; absent: as many as fit'),
  password: z.string().min(1).optional().describe('Of a PDF that is locked, in every call'),
  by: z
    .literal('characters')
    .optional()
    .describe('Counts from and length in characters: to go on within a line or page that is too long'),
});

const readTool = (store: Store): ToolDefinition => ({
  name: 'read_attachment',
  description:
    'Reads a file as text: a PDF by its pages, any other by its lines, at most 38,000 characters at a time. ' +
    'A last line in brackets says where it goes on. A workbook is CSV, sheet by sheet; audio is what is said in it. ' +
    'To filter a table or to compute over it, use query_table; to see an image, view_image.',
  parameters: readParameters,
  sideEffects: false,
  async execute({ name, from, length, by, password }: z.output<typeof readParameters>, { workflowId }) {
    const file = await fileNamed(store, workflowId, name);
    const isLocked = password !== undefined && file.kind === 'pdf';
    const text = await (isLocked ? unlocked(store, file, password) : textOf(store, file));
    if (by === 'characters') return charactersOf(text, from, length);
    return partOf(text, file.kind === 'pdf' ? 'page' : 'line', from, length);
  },
});

const queryParameters = z.object({
  name: z
    .string()
    .min(1)
    .describe('The file: a table (CSV, TSV), a workbook or database, or JSON that is a list of records'),
  sql: z
    .string()
    .min(1)
    .describe('For example: SELECT "region", sum("revenue") FROM data GROUP BY "region" ORDER BY 2 DESC'),
});

const queryTool = (store: Store): ToolDefinition => ({
  name: 'query_table',
  description:
    'Runs one SELECT (also WITH … SELECT) of SQLite over all rows of a file. They are in the table data, whose ' +
    'columns are called as in the file: write them in double quotes. Each sheet of a workbook is a table with the name of ' +
    'the sheet, in double quotes too, and the first is also called data; dates are texts such as 2026-03-31. A column is REAL where all of its cells are plain ' +
    'numbers, with or without thousands separators; any other is TEXT, each cell as it stands in the file. CAST reads ' +
    'no more than the digits that a text begins with: take out € and separators before, with replace. Empty cells are ' +
    'NULL. The result is JSON: table (its columns with their types), table_rows, columns and rows (at most 200) of the ' +
    'result, and a note where there are more.',
  parameters: queryParameters,
  sideEffects: false,
  async execute({ name, sql }: z.output<typeof queryParameters>, { workflowId, signal }) {
    const file = await fileNamed(store, workflowId, name);
    const text = await textOf(store, file);
    const { kind, mediaType } = file;
    if (kind === 'table' || kind === 'json' || kind === 'workbook') {
      const bytes = isDatabase(mediaType) ? await store.object(file.content) : undefined;
      return queryTable({ text, kind, mediaType, sql, ...(bytes !== undefined && { bytes }) }, signal);
    }
    throw new ToolError(`${file.name} is not a table; read_attachment reads it`);
  },
});

const viewParameters = z.object({ name: z.string().min(1).describe('The image, as list_attachments names it') });

const viewTool = (store: Store): ToolDefinition => ({
  name: 'view_image',
  description:
    'Shows an image. Those that came with the task were shown with it, but one of a large archive, or one that was made ' +
    'later, is seen by this tool alone.',
  parameters: viewParameters,
  sideEffects: false,
  async execute({ name }: z.output<typeof viewParameters>, { workflowId }): Promise<ShownByTool> {
    const file = await fileNamed(store, workflowId, name);
    if (file.image === undefined) {
      const why = file.kind === 'image' ? `: ${file.note}` : ' is no image; read_attachment reads it';
      throw new ToolError(`${file.name}${why}`);
    }
    return { text: `${file.name}:`, images: [{ data: await store.blob(file.image) }] };
  },
});

const saveParameters = z.object({
  name: z.string().min(1).describe('For example: results.csv; the ending tells what it is'),
  text: z.string().describe('The whole content'),
});

const saveTool = (store: Store): ToolDefinition => ({
  name: 'save_file',
  description:
    'Saves a text as a file, for other subtasks and later tries; list_attachments, read_attachment and query_table ' +
    'see it like the files that came with the task. A file that was saved under this name before is replaced.',
  parameters: saveParameters,
  sideEffects: 'idempotent',
  async execute({ name, text }: z.output<typeof saveParameters>, { workflowId }) {
    return savedText(await saveFile(store, workflowId, name, Buffer.from(text)));
  },
});

/** A workflow's file by its name in any letter case. @throws `ToolError` with all names if there is none */
async function fileNamed(store: Store, workflowId: string, name: string): Promise<RunFile> {
  const files = await store.files(workflowId);
  const plain = name.trim().toLowerCase();
  const file = files.find((each) => each.name === name) ?? files.find((each) => each.name.toLowerCase() === plain);
  if (file !== undefined) return file;
  const names = files.map((each) => each.name);
  const shown = names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '');
  throw new ToolError(
    names.length === 0
      ? `there is no ${name}: this run has no files yet`
      : `there is no ${name};${didYouMean(name, names)} the files are ${shown}`,
  );
}

/** How many files an error names. */
const mostNamed = 50;

/** The text of a file. @throws `ToolError` if it has none */
async function textOf(store: Store, { name, kind, text, note }: RunFile): Promise<string> {
  if (text !== undefined) return store.blob(text);
  if (kind === 'image') {
    throw new ToolError(`${name} is an image: it has no text; view_image shows it to a model that sees`);
  }
  throw new ToolError(`${name}: ${note ?? 'it has no text'}`);
}

/** The text of a file that is locked. @throws `ToolError` if the password is wrong */
async function unlocked(store: Store, file: RunFile, password: string): Promise<string> {
  const { note, text } = await readPdf(Buffer.from(await store.object(file.content)), password);
  if (text === undefined) throw new ToolError(`${file.name}: ${note ?? 'it has no text'}`);
  return text;
}

type Unit = 'line' | 'page';

const longest = longestRead;

/**
 * A part of a text by whole lines or pages, as many as fit. Unless it is the whole text, a last line in brackets says where
 * it goes on.
 *
 * @param from the first line or page, from 1
 * @param length how many of them at most; if absent, as many as fit
 * @throws `ToolError` if there is no such line or page
 */
function partOf(text: string, unit: Unit, from: number, length = Infinity): string {
  const pieces = unit === 'line' ? text.split(/(?<=\n)/) : pagesOf(text);
  checkFrom(from, pieces.length, unit);
  const wanted = pieces.slice(from - 1, from - 1 + length);
  const fitting = wanted.slice(0, fittingOf(wanted));
  if (fitting.length === 0) {
    const before = pieces.slice(0, from - 1).reduce((sum, piece) => sum + piece.length, 0);
    return charactersOf(text, before + 1);
  }
  if (fitting.length === pieces.length) return text;
  const end = from - 1 + fitting.length;
  return `${fitting.join('').trimEnd()}\n${place(`${unit}s`, from, end, pieces.length)}`;
}

/** How many of the pieces can be returned at once. */
function fittingOf(pieces: string[]): number {
  let size = 0;
  const over = pieces.findIndex((piece) => (size += piece.length) > longest);
  return over === -1 ? pieces.length : over;
}

/** A part of a text by characters, which also reads lines and pages that are too long for one call. */
function charactersOf(text: string, from: number, length = longest): string {
  checkFrom(from, text.length, 'character');
  const shown = text.slice(from - 1, from - 1 + Math.min(length, longest)).replace(/(?<=.)[\uD800-\uDBFF]$/s, '');
  if (shown.length === text.length) return shown;
  return `${shown}\n${place('characters', from, from - 1 + shown.length, text.length, 'by: "characters", ')}`;
}

function place(units: string, from: number, end: number, all: number, by = ''): string {
  const rest = end < all ? `; goes on with ${by}from: ${end + 1}` : '';
  return `[${units} ${from} to ${end} of ${all}${rest}]`;
}

function checkFrom(from: number, count: number, unit: Unit | 'character'): void {
  if (from <= Math.max(1, count)) return;
  throw new ToolError(`there is no ${unit} ${from}; the last is ${unit} ${count}`);
}

/** Splits a PDF's text into pages. Only the next number begins a page, since a page may hold a line like a heading. */
function pagesOf(text: string): string[] {
  const pages: string[] = [];
  for (const piece of text.split(/(?=^\[page \d+\]$)/m)) {
    if (piece.startsWith(`[page ${pages.length + 1}]`)) pages.push(piece);
    else pages.push((pages.pop() ?? '') + piece);
  }
  return pages;
}
