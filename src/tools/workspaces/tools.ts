import { z } from 'zod';
import { Yielder } from '../../util/yielder.ts';
import { defineTool, longestRead, ToolError, type ToolContext, type ToolDefinition } from '../tool.ts';
import type { Workspace, WorkspaceFile } from '../workspace.ts';
import { listed } from '../../util/text/listed.ts';
import { edited } from './edit.ts';
import { shortened } from '../../workflows/runtime/size.ts';

/** How many files a list has at most, how many places a search gives, and how many characters of a line it shows. */
const maxListed = 300;
const maxFound = 100;
const maxLine = 300;
const maxText = 5_000_000;
const maxSearched = 100_000_000;

type Given = Pick<ToolContext, 'workspace' | 'signal' | 'workflowId'>;

/** Reads a file of a run that is no plain text, such as a PDF or an archive. Empty if nothing of it can be read. */
type FileTexts = (workflowId: string, path: string, bytes: Uint8Array) => Promise<FileText[]>;

export interface FileText {
  path: string;
  text: string;
  /** What of the file is not in the text, or how it was read. */
  note?: string;
}

/** How long reading files may take that are no plain texts, in seconds. */
const readingTime = 180;

const path = z.string().min(1);
const folder = z.string().default('.').describe('Only what is in this folder; "." is the whole workspace');

const edit = {
  old_text: z.string().min(1).describe('A part of the file, exactly as it stands there, which occurs in it once'),
  new_text: z.string().describe('What takes its place'),
  replace_all: z.boolean().optional().describe('Whether every occurrence is replaced; absent: there must be one'),
};
const { new_text, old_text, replace_all } = edit;

/** The built-in package `builtin.workspace`: tools that list, read, write, edit and search the agent's own files. */
export const workspaceTools = (textsOf: FileTexts): ToolDefinition[] => [
  defineTool({
    name: 'list_files',
    description: 'Lists the files of your workspace, each with its size in bytes.',
    parameters: z.object({ folder }),
    sideEffects: false,
    workspace: 'reads',
    execute({ folder }, context): string {
      const files = filesIn(of(context), folder);
      const lines = files.slice(0, maxListed).map(({ path, bytes, executable, readOnly }) => {
        const notes = [`${bytes} bytes`, ...(executable ? ['executable'] : []), ...(readOnly ? ['read-only'] : [])];
        return `${path} (${notes.join(', ')})`;
      });
      if (lines.length === 0) return folder === '.' ? 'The workspace has no files yet.' : `${folder}/ has no files.`;
      const more = files.length - lines.length;
      if (more > 0) lines.push(`… and ${more} more; name a folder to list only what is in it`);
      return lines.join('\n');
    },
  }),
  defineTool({
    name: 'view_file',
    description:
      'Reads a text file of your workspace, or a part of it by lines; of a PDF, an office document or an archive its text.',
    timeout: readingTime,
    parameters: z.object({
      path,
      offset: z.int().min(1).default(1).describe('First line, from 1'),
      limit: z.int().min(1).optional().describe('How many lines; absent: as many as fit'),
    }),
    sideEffects: false,
    workspace: 'reads',
    async execute({ path, offset, limit }, context): Promise<string> {
      const { notes, text } = await anyTextOf(context, path, textsOf);
      const lines = text.split('\n');
      if (offset > lines.length) throw new ToolError(`${path} has ${lines.length} lines; there is no line ${offset}`);
      let left = longestRead;
      const wanted = lines.slice(offset - 1, limit && offset - 1 + limit);
      const over = wanted.findIndex((line, index) => (left -= line.length + 1) < 0 && index > 0);
      const part = over === -1 ? wanted : wanted.slice(0, over);
      const end = offset - 1 + part.length;
      if (part.length === lines.length) return [...part, ...notes].join('\n');
      const more = over === -1 ? '' : `; goes on with offset ${end + 1}, and search_files finds words in it`;
      return [...part, `[lines ${offset} to ${end} of ${lines.length}${more}]`, ...notes].join('\n');
    },
  }),
  defineTool({
    name: 'write_file',
    description: 'Writes a text file of your workspace: a new one, or the whole content of one that is there.',
    parameters: z.object({ path, content: z.string().describe('The whole new content of the file') }),
    sideEffects: 'idempotent',
    workspace: 'writes',
    async execute({ path, content }, context): Promise<string> {
      await of(context).write(path, content);
      return `${path} is written, ${Buffer.byteLength(content)} bytes.`;
    },
  }),
  defineTool({
    name: 'edit_file',
    description:
      'Replaces parts of a text file of your workspace: one by old_text and new_text, or several at once by edits. ' +
      'The line ends of the file are kept.',
    parameters: z.object({
      path,
      old_text: old_text.optional(),
      new_text: new_text.optional(),
      replace_all,
      edits: z
        .array(z.object(edit))
        .max(100)
        .optional()
        .describe('Several edits of the file, made in order: all or none'),
    }),
    sideEffects: 'idempotent',
    workspace: 'writes',
    async execute(args, context): Promise<string> {
      const { path, edits = [], old_text, new_text, replace_all } = args;
      if ((old_text === undefined) !== (new_text === undefined) || (old_text === undefined && edits.length === 0)) {
        throw new ToolError('give old_text and new_text, or a list of both as edits');
      }
      const one = old_text === undefined || new_text === undefined ? [] : [{ old_text, new_text, replace_all }];
      const workspace = of(context);
      const { places, text } = edited(path, await textOf(workspace, path), [...one, ...edits]);
      await workspace.write(path, text);
      return `${path} is changed in ${places === 1 ? 'one place' : `${places} places`}.`;
    },
  }),
  defineTool({
    name: 'search_files',
    description:
      'Finds the lines of files in your workspace that hold a text, each with its file and number. It looks into PDFs, office ' +
      'documents and archives too, and names the page, slide or sheet.',
    timeout: readingTime,
    parameters: z.object({
      text: z.string().min(1).max(1000).describe('What lines are to hold, in upper or lower case; no pattern'),
      folder,
    }),
    sideEffects: false,
    workspace: 'reads',
    execute: ({ text, folder }, context): Promise<string> => search(context, text, folder, textsOf),
  }),
  defineTool({
    name: 'delete_file',
    description: 'Deletes a file of your workspace, or a folder with all that is in it.',
    parameters: z.object({ path }),
    sideEffects: 'idempotent',
    workspace: 'writes',
    execute({ path }, context): string {
      of(context).remove(path);
      return `${path} is deleted.`;
    },
  }),
  defineTool({
    name: 'move_file',
    description: 'Moves or renames a file of your workspace. A file of the new name is replaced.',
    parameters: z.object({ from: path, to: path }),
    sideEffects: 'idempotent',
    workspace: 'writes',
    async execute({ from, to }, context): Promise<string> {
      await of(context).move(from, to);
      return `${from} is now ${to}.`;
    },
  }),
];

function of({ workspace }: Given): Workspace {
  if (workspace === undefined) throw new Error('a tool of the workspace was called without one');
  return workspace;
}

function filesIn(workspace: Workspace, folder: string): WorkspaceFile[] {
  const names = folder.split('/').filter((name) => name !== '' && name !== '.');
  const prefix = names.map((name) => `${name}/`).join('');
  return workspace.files().filter(({ path }) => path.startsWith(prefix));
}

/** @throws `ToolError` for what is too large or no text */
async function textOf(workspace: Workspace, path: string): Promise<string> {
  const content = await workspace.read(path);
  if (content.length > maxText) {
    throw new ToolError(
      `${path} has ${content.length} bytes; texts of up to ${maxText} are read. Read it with run_python`,
    );
  }
  const text = decoded(content);
  if (text === undefined) throw new ToolError(`${path} is not a text in UTF-8`);
  return text;
}

/** The text of a file of any kind, and lines of what is not in it. @throws `ToolError` if it has none */
async function anyTextOf(context: Given, path: string, textsOf: FileTexts): Promise<{ text: string; notes: string[] }> {
  const workspace = of(context);
  const content = await workspace.read(path);
  if (decoded(content) !== undefined) return { text: await textOf(workspace, path), notes: [] };
  const texts = await textsOf(context.workflowId, path, content);
  if (texts.length === 0) throw new ToolError(`${path} is not a text in UTF-8, and nothing in it can be read as one`);
  const parts = texts.map((each) => (each.path === path ? each.text : `[${each.path}]\n${each.text}`));
  return { text: parts.filter((part) => part !== '').join('\n\n'), notes: notesOn(texts) };
}

/** How many notes a result has, and of how many characters, since a folder may have many such files. */
const mostNotes = 10;
const longestNote = 200;

function notesOn(texts: Array<Omit<FileText, 'text'>>): string[] {
  const notes = texts.flatMap(({ note, path }) =>
    note === undefined ? [] : [`[${path}: ${shortened(note, longestNote)}]`],
  );
  const more = notes.length - mostNotes;
  return [...notes.slice(0, mostNotes), ...(more > 0 ? [`[and ${more} more such notes]`] : [])];
}

function decoded(content: Uint8Array): string | undefined {
  try {
    // A mark of the byte order would be lost by editing if it were not kept.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    // A PDF may consist of letters alone.
    return text.includes('\0') || text.startsWith('%PDF-') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A line that says where in a file what follows is. */
const place = /^\[(?:page|slide|sheet) \d+.*\]$/;

async function search(context: Given, text: string, folder: string, textsOf: FileTexts): Promise<string> {
  const workspace = of(context);
  const wanted = text.toLowerCase();
  const found: string[] = [];
  const unread: string[] = [];
  const notes: Array<Omit<FileText, 'text'>> = [];
  const ended = (why: string): string => [...found, ...notSearched(unread), ...notesOn(notes), why].join('\n');
  const yielder = new Yielder();
  let left = maxSearched;
  for (const { path, bytes } of filesIn(workspace, folder)) {
    context.signal.throwIfAborted();
    if (bytes > left) return ended(`[stopped at ${path}: ${maxSearched} bytes were searched; name a folder]`);
    left -= bytes;
    const content = await workspace.read(path).catch(() => undefined);
    const plain = content && decoded(content);
    const texts =
      plain !== undefined
        ? [{ path, text: plain }]
        : content === undefined
          ? []
          : await textsOf(context.workflowId, path, content);
    if (texts.length === 0) unread.push(path);
    notes.push(...texts.map(({ note, path: of }) => ({ path: of, ...(note !== undefined && { note }) })));
    for (const each of texts) {
      let where = '';
      let number = 0;
      for (const line of linesIn(each.text)) {
        number += 1;
        if (yielder.due) await yielder.yield();
        if (plain === undefined && place.test(line)) where = ` ${line}`;
        for (const part of holding(line, wanted)) {
          if (found.length === maxFound) return ended('[it stands in more places; search for more of the text]');
          found.push(`${each.path}:${number}:${where} ${part}`);
        }
      }
    }
  }
  return [...(found.length === 0 ? ['Nothing was found.'] : found), ...notSearched(unread), ...notesOn(notes)].join(
    '\n',
  );
}

function notSearched(paths: string[]): string[] {
  if (paths.length === 0) return [];
  return [`[not searched, since they cannot be read as text: ${listed(paths, 10)}]`];
}

/** The lines of a text one by one: a list of those of a large one would take more memory than the text. */
function* linesIn(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}

/** The parts of a line that show where it holds a text: the line itself, unless it is long, as data and minified programs are. */
function* holding(line: string, wanted: string): Generator<string> {
  const lower = line.toLowerCase();
  let at = lower.indexOf(wanted);
  if (at === -1) return;
  if (line.length <= maxLine) return yield line;
  while (at !== -1) {
    const from = Math.max(0, at - maxLine / 3);
    const part = shortened(line.slice(from).replace(/^[\uDC00-\uDFFF]/, ''), maxLine);
    yield from === 0 ? part : `character ${from + 1}: …${part}`;
    at = lower.indexOf(wanted, from + maxLine);
  }
}
