import { z } from 'zod';
import { didYouMean } from '../../config/problems.ts';
import type { RunFile, Store } from '../../store/store.ts';
import type { Workspace, WorkspaceFile } from '../workspace.ts';
import { attachmentsFolder } from '../workspaces/workspace.ts';
import { defineTool, longestRead, ToolError, type ToolContext, type ToolDefinition } from '../tool.ts';
import type { ShownByTool } from '../tool-images.ts';
import { isDatabase, readContent } from './content.ts';
import { picturePages, picturesOfPdf, readPdf } from './pdf/pdf.ts';
import { queryTable } from './query.ts';
import type { Readable } from './readable.ts';
import { recognise } from './recognise.ts';
import { savedText, saveFile } from './run-files.ts';

/** The built-in package `builtin.attachments`, which reaches only the files of the workflow that calls. */
export const attachmentTools = (store: Store): ToolDefinition[] => [
  defineTool({
    name: 'list_attachments',
    description:
      'Lists the files that there are: those that came with the task and those that save_file has made, each with its ' +
      'kind (text, table, json, pdf, image, workbook, document, archive, audio, binary), its size in bytes, and a note where ' +
      'not all of it can be read. The files of an archive are listed with its name before theirs: papers.zip/first.pdf. Where ' +
      'you have files of your own, they are listed too, and every tool of these reads them; programs find those of this list ' +
      'in the folder attachments/.',
    parameters: z.object({}),
    sideEffects: false,
    workspace: 'reads',
    async execute(_, { workflowId, workspace }) {
      const files = await store.files(workflowId);
      const own = ownFiles(workspace);
      return [
        ...files.map(({ name, kind, bytes, note, from }) => ({
          name,
          kind,
          bytes,
          ...(from === 'tool' && { saved: true }),
          ...(note !== undefined && { note }),
        })),
        ...own.slice(0, mostOwn).map(({ bytes, path }) => ({ name: path, bytes })),
        ...(own.length > mostOwn ? [{ more: own.length - mostOwn }] : []),
      ];
    },
  }),
  defineTool({
    name: 'read_attachment',
    description:
      'Reads a file as text: a PDF by its pages, any other by its lines, at most 38,000 characters at a time. ' +
      'A last line in brackets says where it goes on. A workbook is CSV, sheet by sheet; audio is what is said in it; pages ' +
      'of a PDF that are pictures are shown. To search, to filter a table or to compute over it, use query_table; to see an image, ' +
      'view_image.',
    parameters: z.object({
      name: z.string().min(1).describe('The file, as list_attachments names it'),
      from: z.int().min(1).default(1).describe('The first page of a PDF, or line of another file, from 1'),
      length: z.int().min(1).optional().describe('How many of them; absent: as many as fit'),
      password: z.string().min(1).optional().describe('Of a PDF that is locked, in every call'),
      by: z
        .literal('characters')
        .optional()
        .describe('Counts from and length in characters: to go on within a line or page that is too long'),
    }),
    sideEffects: false,
    workspace: 'reads',
    async execute({ name, from, length, by, password }, context) {
      const file = await fileNamed(store, name, context);
      const isLocked = password !== undefined && file.kind === 'pdf';
      const read = isLocked ? await readPdf(Buffer.from(await file.content()), password) : file;
      const text = textOf(file, read);
      if (by === 'characters') return charactersOf(text, from, length);
      if (file.kind !== 'pdf') return partOf(text, 'line', from, length);
      const part = partOf(text, 'page', from, length);
      const pages = picturePages(part);
      return pages.length === 0 ? part : picturesFrom(file, pages, part, password);
    },
  }),
  defineTool({
    name: 'query_table',
    description:
      'Runs one SELECT (also WITH … SELECT) of SQLite over all of a file. Rows and records are in the table data, whose ' +
      'columns are called as in the file: write them in double quotes. Lists in a JSON object are tables too, called by their path, such as "log.entries", and what is nested in a cell is JSON. Of any other text data has each line: line, text. Each sheet of a workbook is a table with the name of ' +
      'the sheet, in double quotes too, and the first is also called data; dates are texts such as 2026-03-31. A column is REAL where all of its cells are plain ' +
      'numbers, with or without thousands separators; any other is TEXT, each cell as it stands in the file. CAST reads ' +
      'no more than the digits that a text begins with: take out € and separators before, with replace. Empty cells are ' +
      'NULL. In a workbook, columns say how its rows look: _hidden (NULL where a row is seen), _color or NAME_color (as ' +
      'yellow), _comment. The result is JSON: table (its columns with their types), table_rows, columns and rows (at most ' +
      '200) of the result, a note where there are more, and file_note with what is to be known of the file.',
    parameters: z.object({
      name: z.string().min(1).describe('Any file that has a text'),
      sql: z
        .string()
        .min(1)
        .describe('For example: SELECT "region", sum("revenue") FROM data GROUP BY "region" ORDER BY 2 DESC'),
    }),
    sideEffects: false,
    workspace: 'reads',
    async execute({ name, sql }, context) {
      const file = await fileNamed(store, name, context);
      const text = textOf(file, file);
      const { kind, mediaType, note } = file;
      const bytes = isDatabase(mediaType) ? await file.content() : undefined;
      const table = { text, kind, mediaType, sql, ...(bytes !== undefined && { bytes }) };
      const result = await queryTable(table, context.signal);
      return { ...result, ...(note !== undefined && { file_note: note }) };
    },
  }),
  defineTool({
    name: 'view_image',
    description:
      'Shows an image, or the pictures on a page of a PDF. Images that came with the task were shown with it, but one of a ' +
      'large archive, or one that was made later, is seen by this tool alone.',
    parameters: z.object({
      name: z.string().min(1).describe('The image or PDF, as list_attachments names it'),
      page: z.int().min(1).default(1).describe('Of a PDF: the page whose pictures are shown'),
    }),
    sideEffects: false,
    workspace: 'reads',
    async execute({ name, page }, context): Promise<ShownByTool> {
      const file = await fileNamed(store, name, context);
      if (file.kind === 'pdf') return picturesFrom(file, [page], `${file.name}, page ${page}:`);
      if (file.kind !== 'image') throw new ToolError(`${file.name} is no image; read_attachment reads it`);
      return { text: `${file.name}:`, images: [{ data: await file.picture() }] };
    },
  }),
  defineTool({
    name: 'save_file',
    description:
      'Saves a text as a file, for other subtasks and later tries; list_attachments, read_attachment and query_table ' +
      'see it like the files that came with the task. A file that was saved under this name before is replaced.',
    parameters: z.object({
      name: z.string().min(1).describe('For example: results.csv; the ending tells what it is'),
      text: z.string().describe('The whole content'),
    }),
    sideEffects: 'idempotent',
    async execute({ name, text }, { workflowId }) {
      return savedText(await saveFile(store, workflowId, name, Buffer.from(text)));
    },
  }),
];

async function picturesFrom({ content, name }: KnownFile, pages: number[], text: string, password?: string) {
  const found = await picturesOfPdf(await content(), password, pages).catch(({ message }: Error) => {
    throw new ToolError(`${name}: ${message}`);
  });
  if (found.length === 0) throw new ToolError(`${name} has no pictures on page ${pages.join(', ')}`);
  const shown = `[pictures shown: ${found.map(({ page }) => `page ${page}`).join(', ')}]`;
  const more = pages.some((page) => !found.some((each) => each.page === page)) ? '\n[view_image shows the others]' : '';
  return { text: `${text}\n${shown}${more}`, images: found.map(({ png }) => ({ data: png })) };
}

/** A file that a tool was given the name of: one of the run, or one of the agent's own. */
interface KnownFile extends Pick<RunFile, 'name' | 'kind' | 'mediaType' | 'note'> {
  text?: string;
  content: () => Promise<Uint8Array>;
  /** What models are shown of an image, as bytes or in base64. @throws `ToolError` if it cannot be shown */
  picture: () => Promise<Uint8Array | string>;
}

/** How many files an error names, and how many of an agent's own are listed. */
const mostNamed = 50;
const mostOwn = 200;

/** An agent's files besides those of its run. */
const ownFiles = (workspace: Workspace | undefined): WorkspaceFile[] =>
  workspace?.files().filter(({ path }) => !path.startsWith(`${attachmentsFolder}/`)) ?? [];

/** A file by its name or its path, in any letter case. @throws `ToolError` with all names if there is none */
async function fileNamed(store: Store, name: string, { workflowId, workspace }: ToolContext): Promise<KnownFile> {
  const files = await store.files(workflowId);
  const names = [...files.map((each) => each.name), ...ownFiles(workspace).map(({ path }) => path)];
  const plain = name.trim().replace(/^\.\//, '');
  const bare = plain.replace(new RegExp(`^${attachmentsFolder}/`, 'i'), '').toLowerCase();
  const found = [name, plain].find((each) => names.includes(each)) ?? names.find((each) => each.toLowerCase() === bare);
  const file = files.find((each) => each.name === found);
  if (file !== undefined) {
    const { text, ...known } = file;
    return {
      ...known,
      ...(text !== undefined && { text: await store.blob(text) }),
      content: () => store.object(file.content),
      picture() {
        if (file.image === undefined) throw new ToolError(`${file.name}: ${file.note ?? 'it cannot be shown'}`);
        return store.blob(file.image);
      },
    };
  }
  if (found !== undefined && workspace !== undefined) return readNow(found, Buffer.from(await workspace.read(found)));
  if (names.length === 0) throw new ToolError(`there is no ${name}: this run has no files yet`);
  const shown = names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '');
  throw new ToolError(`there is no ${name};${didYouMean(name, names)} the files are ${shown}`);
}

async function readNow(name: string, bytes: Buffer): Promise<KnownFile> {
  const found = await recognise(name, bytes);
  const own = (): Promise<Buffer> => Promise.resolve(bytes);
  const { kind, mediaType } = found;
  return { name, kind, mediaType, content: own, picture: own, ...(await readContent(name, bytes, found)) };
}

/** The text that was read of a file. @throws `ToolError` if it has none */
function textOf({ kind, name }: KnownFile, { note, text }: Readable): string {
  if (text !== undefined) return text;
  if (kind === 'image') {
    throw new ToolError(`${name} is an image: it has no text; view_image shows it to a model that sees`);
  }
  throw new ToolError(`${name}: ${note ?? 'it has no text'}`);
}

type Unit = 'line' | 'page';

/**
 * Whole lines or pages of a text from the first, 1, on, as many as fit. Unless that is all, a last line says where it goes on.
 *
 * @throws `ToolError` if there is no such line or page
 */
function partOf(text: string, unit: Unit, from: number, length = Infinity): string {
  const pieces = unit === 'line' ? text.split(/(?<=\n)/) : pagesOf(text);
  checkFrom(from, pieces.length, unit);
  let size = 0;
  const wanted = pieces.slice(from - 1, from - 1 + length);
  const over = wanted.findIndex((piece) => (size += piece.length) > longestRead);
  const fitting = over === -1 ? wanted : wanted.slice(0, over);
  if (fitting.length === 0) {
    const before = pieces.slice(0, from - 1).reduce((sum, piece) => sum + piece.length, 0);
    return charactersOf(text, before + 1);
  }
  if (fitting.length === pieces.length) return text;
  const end = from - 1 + fitting.length;
  return `${fitting.join('').trimEnd()}\n${place(`${unit}s`, from, end, pieces.length)}`;
}

/** A part of a text by characters, which also reads lines and pages that are too long for one call. */
function charactersOf(text: string, from: number, length = longestRead): string {
  checkFrom(from, text.length, 'character');
  const shown = text.slice(from - 1, from - 1 + Math.min(length, longestRead)).replace(/(?<=.)[\uD800-\uDBFF]$/s, '');
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
