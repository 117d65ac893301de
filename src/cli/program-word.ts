import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { examples } from './examples.ts';

const program = fileURLToPath(new URL('../../bin/reprise.mjs', import.meta.url));

const root = dirname(dirname(program));

/** Where npm puts programs of a package, which are on the PATH only of what npm itself starts. */
const ofPackages = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/** How a person calls this program where it has been called: by its name, by npx, or by its path. */
export function programWord({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): string {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const own = env['npm_execpath'] === undefined ? folders : folders.filter((folder) => !ofPackages.test(folder));
  if (own.some((folder) => isProgram(join(folder, 'reprise')))) return 'reprise';
  const isNear = foldersAbove(cwd).some(
    (folder) => folder === root || existsSync(join(folder, 'node_modules', '.bin', 'reprise')),
  );
  return isNear || env['npm_command'] === 'exec'
    ? 'npx reprise'
    : `node ${/\s/.test(program) ? `"${program}"` : program}`;
}

/** Whether a file of the PATH is this program, and not one of another version. On Windows it is a script that calls it. */
const isProgram = (file: string): boolean =>
  existsSync(file) && (process.platform === 'win32' || realpathSync(file) === realpathSync(program));

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

const names = Object.keys(examples).filter((name) => name !== 'reprise');

const commands = new RegExp(
  String.raw`(?<![\w./@-])(?:npx )?reprise(?= (?:\[|--help|(?:${names.join('|')})(?![\w-])))`,
  'g',
);

/** A text whose commands can be typed here. Whoever writes one, also a worker elsewhere, writes `reprise COMMAND`. */
export const withProgramWord = (text: string, word: string): string => text.replace(commands, () => word);
