import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { checkConfig, type Config } from './kinds.ts';
import { isModel } from './modules.ts';
import { problemText, type Checked, type Problem } from './problems.ts';
import { grouped } from '../util/file-limits.ts';
import { isIn } from '../util/folders.ts';

export type Read<T> = { ok: true; config: T } | { ok: false; problems: string[] };

type Check<T> = (content: unknown) => Checked<T>;

/**
 * Reads a configuration file in YAML or JSON. Each problem names file, line, key and the valid choices. A relative
 * `folder:` counts from the folder of the file, since the worker may run elsewhere.
 *
 * @param check accepts the kinds of configuration that are wanted; the default accepts any
 * @param base the folder from which the file's path counts; that of the process when absent
 */
export function readConfigFile(file: string): Read<Config>;
export function readConfigFile<T>(file: string, check: Check<T>, base?: string): Read<T>;
export function readConfigFile(file: string, check: Check<unknown> = checkConfig, base = ''): Read<unknown> {
  const path = resolve(base, file);
  let text: string;
  try {
    text = configText(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: 'no such file', EISDIR: 'is a folder, not a file' };
    return { ok: false, problems: [`${file}: ${code === undefined ? message : (reasons[code] ?? code)}`] };
  }
  return parse(text, file, (content) => check(resolveFolders(content, dirname(path))));
}

/** In bytes: what a run’s input may have. Reading so many takes a second, and beside some configurations lies much data. */
const maxBytes = 1_500_000;

/** @throws `Error` of the system's, or where the file is too long */
export function configText(path: string): string {
  const { size } = statSync(path);
  if (size > maxBytes) throw new Error(`has ${grouped(size)} bytes, and a configuration at most ${grouped(maxBytes)}`);
  return readFileSync(path, 'utf8');
}

/** The kind of configuration that a file is; undefined for what is none. JSON takes a hundredth of the time where no line is named. */
export function kindOfFile(path: string): Config['kind'] | undefined {
  if (!path.endsWith('.json')) {
    const read = readConfigFile(path);
    return read.ok ? read.config.kind : undefined;
  }
  try {
    const checked = checkConfig(JSON.parse(configText(path)));
    return checked.ok ? checked.value.kind : undefined;
  } catch {
    return undefined;
  }
}

/** @param name what problems call the file */
export const parseConfig = (text: string, name: string): Read<Config> => parse(text, name, checkConfig);

function parse<T>(text: string, name: string, check: Check<T>): Read<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const place = (offset: number): string => `${name}:${lines.linePos(offset).line}`;
  // What it says behind a semicolon is for programmers.
  const wrong = document.errors.map(
    ({ pos, message }) => `${place(pos[0])}: ${message.replace(/; please use YAML.*/, '')}`,
  );
  if (wrong.length > 0) return { ok: false, problems: wrong };
  if (document.contents === null) return { ok: false, problems: [`${name}: the file is empty`] };
  const [alias] = wrongAliases(document);
  if (alias !== undefined) return { ok: false, problems: [`${place(alias.offset)}: ${alias.message}`] };
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount });
  } catch {
    return { ok: false, problems: [`${name}: its aliases stand for too much`] };
  }
  const checked = check(content);
  if (checked.ok) return { ok: true, config: checked.value };
  const problems = checked.problems.map((problem) => problemText(problem, place(startOf(problem, document))));
  return { ok: false, problems };
}

/** How many nodes aliases may stand for: all agents of a team may share some. */
const maxAliasCount = 10_000;

/** The aliases that lead nowhere, or into themselves. */
function wrongAliases(document: Document): Array<{ offset: number; message: string }> {
  const wrong: ReturnType<typeof wrongAliases> = [];
  visit(document, {
    Alias(_, alias, path) {
      const { range, source } = alias;
      const meant = alias.resolve(document);
      const message =
        meant === undefined ? `no &${source} stands before *${source}` : `*${source} stands in &${source} itself`;
      if (meant === undefined || path.includes(meant)) wrong.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return wrong;
}

/** The offset in the text of a problem's key, or of the mapping that lacks the key. */
function startOf({ path }: Problem, document: Document): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pairs = (parent as { items?: Array<{ key?: unknown }> } | undefined)?.items ?? [];
    const pair = pairs.find((each) => isNode(each.key) && (each.key as { value?: unknown }).value === key);
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Reads a configuration of the worker's folder by the name of its file, with or without the ending; of subfolders none. */
export function readNamedConfig<T>(name: string, folder: string, check: Check<T>): Read<T> {
  const candidates = ['', '.yaml', '.yml', '.json'].map((ending) => name + ending);
  const files = configsIn(folder);
  const found = candidates.find((each) => files.includes(each));
  if (found !== undefined && !isInside(folder, found))
    return { ok: false, problems: [`config: ${found} is a link that leads out of the folder of the worker`] };
  if (found !== undefined) return readConfigFile(join(folder, found), check);
  const choices = files.length === 0 ? 'it has none' : `it has: ${files.join(', ')}`;
  const problem = `config: there is no configuration named "${name}" in the worker's folder ${folder} (${choices})`;
  return { ok: false, problems: [problem] };
}

/** The sorted names of a folder's configurations. */
export function configsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && /\.(ya?ml|json)$/.test(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** Whether a file is in a folder itself, rather than behind a link that leads out of it. */
function isInside(folder: string, file: string): boolean {
  try {
    return isIn(realpathSync(folder), realpathSync(join(folder, file)));
  } catch {
    // What is wrong with it is told where it is read.
    return true;
  }
}

type Mapping = Record<string, unknown>;

const mapping = (value: unknown): Mapping => (typeof value === 'object' && value !== null ? value : {}) as Mapping;
const list = (value: unknown): Mapping[] => (Array.isArray(value) ? value.map(mapping) : []);

/** Makes the relative `folder:` of each backend and of a search absolute, in place, wherever the content has the right shape. */
function resolveFolders(content: unknown, base: string): unknown {
  const { agents, final_agent, modules, plan, research } = mapping(content);
  const roles = [plan, research].flatMap((each) => [each, ...Object.values(mapping(each))]).map(mapping);
  const finalAgent = mapping(final_agent);
  const holders = [...list(agents), finalAgent, mapping(finalAgent['judge']), ...roles];
  const backends = holders.map(({ backend }) => backend);
  // A `folder` in the `config:` of any other module may mean something else.
  const models = list(modules).filter(({ module }) => typeof module === 'string' && isModel(module));
  for (const holder of [...backends, ...models.map(({ config }) => config), mapping(research)['search']]) {
    const { folder } = mapping(holder);
    if (typeof folder === 'string' && folder !== '') mapping(holder)['folder'] = resolve(base, folder);
  }
  return content;
}
