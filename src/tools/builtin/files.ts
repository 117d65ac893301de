import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { isIn } from '../../util/folders.ts';
import { decodeText } from '../../util/text/encoding.ts';
import { ToolError, type ToolDefinition } from '../tool.ts';

const maxBytes = 2_000_000;
const maxListed = 100;

const parameters = z.object({
  path: z
    .string()
    .min(1)
    .describe('The file, from the folder of texts; a folder lists what it holds; "." is the folder itself'),
  offset: z.int().min(1).default(1).describe('First line, from 1'),
  limit: z.int().min(1).max(2000).default(400).describe('How many lines'),
});

/** The built-in package `builtin.files`. It reads nothing hidden, and nothing outside the folder, even through a link. */
export function fileTool(folder: string): ToolDefinition {
  return {
    name: 'read_file',
    description: 'Reads a text file, or a part of it by lines; of a folder, the names in it.',
    parameters,
    sideEffects: false,
    execute({ path, offset, limit }: z.output<typeof parameters>): string {
      const found = placeInside(folder, path);
      const stat = statSync(found);
      if (stat.isDirectory()) return listing(found, path);
      if (!stat.isFile()) throw new ToolError(`${path} is not a file`);
      if (stat.size > maxBytes) throw new ToolError(`${path} has ${stat.size} bytes; at most ${maxBytes} are read`);
      const read = decodeText(readFileSync(found));
      if (read === undefined) throw new ToolError(`${path} is not a text`);
      const lines = part(read.text.split(/\r?\n/), path, offset, limit);
      return read.note === undefined ? lines : `${lines}\n[${path}: ${read.note}]`;
    },
  };
}

/** The real path of what is named. @throws `ToolError` if it does not exist, is hidden, or is not inside the folder */
function placeInside(folder: string, path: string): string {
  const root = realpathSync(folder);
  const outside = new ToolError(`${path} is not inside the folder of texts, and nothing else is read`);
  const named = resolve(root, path);
  if (!isIn(root, named)) throw outside;
  let real;
  try {
    real = realpathSync(named);
  } catch {
    throw new ToolError(`there is no ${path}; read_file with "." lists what there is`);
  }
  if (!isIn(root, real)) throw outside;
  const hidden = relative(root, real).split(/[/\\]/).find(isHidden);
  if (hidden !== undefined) throw new ToolError(`${path}: ${hidden} is not read`);
  return real;
}

/** Hidden files may hold keys, and packages hold other people's code. */
const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

function listing(place: string, path: string): string {
  const names = readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => !isHidden(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const more = names.length > maxListed ? `\n… and ${names.length - maxListed} more` : '';
  return `${join(path, '/')} holds:\n${names.slice(0, maxListed).join('\n') || 'nothing'}${more}`;
}

function part(lines: string[], path: string, offset: number, limit: number): string {
  if (offset > lines.length) {
    throw new ToolError(`${path} has ${lines.length} lines; there is no line ${offset}`);
  }
  const end = Math.min(lines.length, offset - 1 + limit);
  const text = lines.slice(offset - 1, end).join('\n');
  const isWhole = offset === 1 && end === lines.length;
  return isWhole ? text : `${text}\n[lines ${offset} to ${end} of ${lines.length}]`;
}
