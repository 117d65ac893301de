import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { defaultBackend, describeBackend } from '../../config/models/complete-backend.ts';
import { backendOf } from '../../config/models/model-name.ts';
import { moduleOf } from '../../config/overrides.ts';
import { schemaId } from '../../config/json-schema.ts';
import type { Kind } from '../../config/kinds.ts';
import { cacheFolder, makeFolder } from '../../util/folders.ts';
import { missingKey, modelOf } from '../../config/models/providers.ts';
import { CommandError, exitStatus, usageError } from '../exit.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { readLine } from '../questions/read-line.ts';
import type { Shell } from '../shell.ts';
import type { Backend } from '../../protocol/settings.ts';

type InitOptions = { kind?: Kind; model?: string };

/** What a person may want, and the command that runs it with something the offline model can answer as well. */
const kinds: Record<Kind, { wish: string; command: string; text: string }> = {
  team: {
    wish: 'A team: agents answer, vote, and start over where that is not good enough',
    command: 'ask',
    text: 'When does a chain slip, and how should I lock a bicycle?',
  },
  agent: {
    wish: 'One agent with tools, to talk to',
    command: 'chat',
    text: 'What is the repair price of a chain?',
  },
  research: {
    wish: 'Research: an idea is planned, searched for, criticised and reported on',
    command: 'research',
    text: 'Renting bicycles for a whole week in summer',
  },
  plan: {
    wish: 'A plan: a problem is cut into subtasks, and the answer is checked',
    command: 'solve',
    text: 'What is the repair price of a chain, and when does a chain slip?',
  },
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

const docs = 'https://github.com/reprise-agents/reprise/blob/main/docs/configuration.md';

/** @throws `CommandError`, status 2, if one of the files is there already; then nothing is written */
export async function init(shell: Shell, dir = '.', options: InitOptions): Promise<void> {
  const { environment } = shell;
  const backend = withModel(
    options.model === undefined ? defaultBackend(environment) : backendOf(options.model, environment),
  );
  const kind = options.kind ?? (shell.canPrompt ? await askForKind(shell) : 'team');
  const folder = shell.path(dir);
  const shown = (name: string): string => typed(shell.cwd, join(folder, name));
  const files = filesOf(kind, backend, folder, shown);
  const taken = files.filter(({ name }) => existsSync(join(folder, name))).map(({ name }) => shown(name));
  if (taken.length > 0) throw usageError(`Nothing is overwritten, and there is already: ${taken.join(', ')}`);
  for (const { name, text } of files) {
    makeFolder(dirname(join(folder, name)));
    writeFileSync(join(folder, name), shell.typed(text), { flag: 'wx' });
  }
  const missing = missingKey(backend, environment);
  const width = Math.max(...files.map(({ name }) => shown(name).length));
  const lines = [
    'Written:',
    ...files.map(({ name, what }) => `  ${shown(name).padEnd(width)}  ${what}`),
    `Model: ${describeBackend(backend)}${missing === undefined ? '' : `, which needs ${missing}`}`,
    '',
    'Next:',
    ...nextCommands(shell, kind, shown).map((line) => `  ${line}`),
  ];
  await shell.print(shell.typed(lines.join('\n')));
}

async function askForKind(shell: Shell): Promise<Kind> {
  const names = Object.keys(kinds) as Kind[];
  shell.stderr.write('What do you want to begin with?\n');
  names.forEach((name, index) => shell.stderr.write(`  ${index + 1}  ${kinds[name].wish}\n`));
  for (;;) {
    const entered = await readLine(shell, '1, 2, 3 or 4 (Enter: 1): ', {});
    if (entered.kind !== 'line') throw new CommandError('Nothing was written', exitStatus.interrupted);
    const word = entered.text.trim().toLowerCase() || '1';
    const chosen = names.find((name, index) => word === name || word === String(index + 1));
    if (chosen !== undefined) return chosen;
  }
}

/** The backend with the name of its model, so that a reader sees what to change. The offline model reads the texts. */
function withModel(backend: Backend): Backend {
  const model = modelOf(backend);
  return { ...backend, ...(model !== undefined && { model }), ...(backend.type === 'offline' && { folder: 'notes' }) };
}

type Shown = (name: string) => string;

/** @param shown gives a file of the folder as it is typed in a command */
function filesOf(
  kind: Kind,
  backend: Backend,
  folder: string,
  shown: Shown,
): Array<{ name: string; what: string; text: string }> {
  const template = (name: string): string => readFileSync(join(root, 'templates', name), 'utf8');
  const { type, ...config } = backend;
  const other: Backend = type === 'offline' ? withModel({ type: 'openai' }) : withModel({ type: 'offline' });
  const { type: otherType, ...otherConfig } = other;
  const when = other.type === 'offline' ? 'Without a key' : 'With OPENAI_API_KEY set';
  const values: Record<string, string> = {
    SCHEMA: schemaFor(kind, folder),
    RUN: runCommand(kind, shown),
    DOCS: docs,
    BACKEND: inline(backend),
    MODEL_MODULE: moduleOf[type] ?? '',
    MODEL_CONFIG: inline(config),
    OTHER_BACKEND: `${when}: ${inline(other)}`,
    OTHER_MODULE: `${when}: ${moduleOf[otherType]}, and config: ${inline(otherConfig)}`,
  };
  const file = `${kind}.yaml`;
  const filled = template(file).replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => values[name] ?? '');
  return [
    { name: file, what: 'the configuration', text: filled },
    { name: 'tools/prices.ts', what: 'a tool', text: template('tools/prices.ts') },
    { name: 'tools/prices.test.ts', what: 'its test', text: template('tools/prices.test.ts') },
    { name: 'notes/shop.md', what: 'texts to look things up in', text: template('notes/shop.md') },
    ...(needsModuleType(folder)
      ? [{ name: 'tools/package.json', what: 'says that tools are ES modules', text: '{ "type": "module" }\n' }]
      : []),
  ];
}

const inline = (value: object): string => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();

/** The schema of the package or clone that the folder belongs to, which needs no network, else the published address. */
function schemaFor(kind: Kind, folder: string): string {
  const project = basename(dirname(root)) === 'node_modules' ? dirname(dirname(root)) : root;
  if (!isWithin(project, folder)) return schemaId(kind);
  const path = relative(folder, join(root, 'schemas', `${kind}.json`)).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}

function isWithin(outer: string, folder: string): boolean {
  const path = relative(outer, folder);
  return !path.startsWith('..') && !isAbsolute(path);
}

/** Whether the nearest package.json makes Node take `.ts` files for CommonJS, or warn of each. */
function needsModuleType(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return dirname(folder) !== folder && needsModuleType(dirname(folder));
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { type?: string }).type !== 'module';
  } catch {
    return true;
  }
}

const typed = (cwd: string, file: string): string =>
  shellWord(isWithin(cwd, file) ? relative(cwd, file).replaceAll(sep, '/') : file);

const runCommand = (kind: Kind, shown: Shown): string =>
  `reprise ${kinds[kind].command} --config ${shown(`${kind}.yaml`)} "${kinds[kind].text}"`;

function nextCommands({ env }: Shell, kind: Kind, shown: Shown): string[] {
  const cache = cacheFolder(env);
  // The Node that runs this was fetched where the machine's own is too old for TypeScript. Its path has no links.
  const isFetched = existsSync(cache) && isWithin(realpathSync(cache), process.execPath);
  const node = isFetched ? shellWord(process.execPath) : 'node';
  return [
    `reprise validate ${shown(`${kind}.yaml`)}`,
    runCommand(kind, shown),
    `${node} --test ${shown('tools/prices.test.ts')}`,
  ];
}
