import { readdir } from 'node:fs/promises';
import { posix, join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../util/environment.ts';
import { grouped } from '../../util/file-limits.ts';
import { listed } from '../../util/text/listed.ts';
import { Yielder } from '../../util/yielder.ts';
import type { PythonResult } from './reader.ts';
import { runPython, type GivenFile } from './run.ts';
import { defineTool, ToolError } from '../tool.ts';
import type { Workspace, WorkspaceFile } from '../workspace.ts';

const mostSeconds = 300;

/** How many bytes of files Python gets, since all of them are in its memory, and how many are on their way at once. */
const mostBytes = 100_000_000;
const batchBytes = 4_000_000;

const named = 20;

/** The built-in package `builtin.python`. @param environment the worker's, of which `REPRISE_WHEELS` is read */
export const pythonTool = (environment: Environment) =>
  defineTool({
    name: 'run_python',
    description:
      'Runs a program of Python and returns what it prints, and the value of its last expression. Its working folder has ' +
      'your files; what it writes, changes or deletes there is kept if it ends well. Each call starts afresh: variables ' +
      'and imports of earlier calls are gone, files are not. It has the standard library, 1 GB of memory, no network, ' +
      'no threads and no other programs.',
    parameters: z.object({
      code: z.string().min(1).describe('A program of Python 3.14; the value of its last expression is shown too'),
      seconds: z.int().min(1).max(mostSeconds).default(60).describe('How long it may run'),
    }),
    sideEffects: 'idempotent',
    workspace: 'writes',
    timeout: mostSeconds + 120,
    async execute({ code, seconds }, { signal, workspace }): Promise<string> {
      if (workspace === undefined) throw new ToolError('run_python needs files, and there are none here');
      const notes: string[] = [];
      const { given, left } = chosen(workspace.files(), code);
      if (left.length > 0)
        notes.push(`not in the folder, since Python gets ${grouped(mostBytes)} bytes: ${listed(left, named)}`);
      const files = (): AsyncIterable<GivenFile[]> => batches(workspace, given);
      const wheels = await wheelsIn(environment['REPRISE_WHEELS']);
      const result = await runPython({ code, seconds, files, wheels }, signal);
      const { output, problem } = result;
      if (problem !== undefined) {
        const reason = problem.kind === 'raised' ? problem.text : `[${problem.text}]`;
        throw new ToolError(textOf(output, [reason, ...bracketed([...notes, 'no file was changed'])]));
      }
      notes.push(...result.notes.map((note) => `not kept: ${note}`), ...(await keep(workspace, result)));
      return textOf(output, bracketed(notes)) || '(no output)';
    },
  });

/** The files that Python gets: those that the code names, and of the others the smallest. */
function chosen(files: WorkspaceFile[], code: string): { given: WorkspaceFile[]; left: string[] } {
  const weights = new Map(files.map((file) => [file, code.includes(posix.basename(file.path)) ? 0 : file.bytes]));
  const ordered = files.toSorted((one, other) => (weights.get(one) ?? 0) - (weights.get(other) ?? 0));
  let bytes = 0;
  const over = ordered.findIndex((file) => (bytes += file.bytes) > mostBytes);
  const count = over === -1 ? ordered.length : over;
  return { given: ordered.slice(0, count), left: ordered.slice(count).map(({ path }) => path) };
}

async function* batches(workspace: Workspace, files: WorkspaceFile[]): AsyncGenerator<GivenFile[]> {
  const yielder = new Yielder();
  let batch: GivenFile[] = [];
  let bytes = 0;
  for (const { executable, path, readOnly } of files) {
    const content = await workspace.read(path).catch((error: unknown) => {
      // A link may lead nowhere.
      if (error instanceof ToolError) return undefined;
      throw error;
    });
    if (content === undefined) continue;
    batch.push({ path, bytes: content, mode: readOnly ? 'readOnly' : executable ? 'executable' : 'file' });
    bytes += content.length;
    if (yielder.due) await yielder.yield();
    if (bytes < batchBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  yield batch;
}

/** Makes the workspace what the code has left. @returns what was done, and what the workspace has refused */
async function keep(workspace: Workspace, { files, gone }: PythonResult): Promise<string[]> {
  const refused: string[] = [];
  const yielder = new Yielder();
  const attempt = async (path: string, done: string[], work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
      done.push(path);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      refused.push(error.message);
    }
    if (yielder.due) await yielder.yield();
  };
  const removed: string[] = [];
  for (const path of gone) await attempt(path, removed, () => workspace.remove(path));
  const written: string[] = [];
  for (const { bytes, mode, path } of files) {
    await attempt(path, written, () => {
      if (mode === 'link' && !leadsInside(path, bytes)) throw new ToolError(`${path} is a link that leads out`);
      return workspace.write(path, bytes, mode);
    });
  }
  return [
    written.length > 0 && `written: ${listed(written, named)}`,
    removed.length > 0 && `deleted: ${listed(removed, named)}`,
    ...refused.slice(0, named).map((each) => `not kept: ${each}`),
    refused.length > named && `not kept: ${refused.length - named} more`,
  ].filter((note) => note !== false);
}

function leadsInside(path: string, target: Uint8Array): boolean {
  const place = posix.join(posix.dirname(path), new TextDecoder().decode(target));
  return !posix.isAbsolute(new TextDecoder().decode(target)) && place !== '..' && !place.startsWith('../');
}

const textOf = (output: string, lines: string[]): string =>
  [output.trimEnd(), ...lines].filter((part) => part !== '').join('\n');

const bracketed = (notes: string[]): string[] => notes.map((note) => `[${note}]`);

/** The wheels that Pyodide can import from: pure Python, and those built for it (https://peps.python.org/pep-0783/). */
async function wheelsIn(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  try {
    const names = await readdir(folder);
    const fitting = names.filter((name) => /-(any|(pyodide|pyemscripten|emscripten)_\w+_wasm32)\.whl$/.test(name));
    return fitting.toSorted().map((name) => join(folder, name));
  } catch (error) {
    throw new ToolError(`REPRISE_WHEELS: ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
