import { readdirSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '../config/problems.ts';
import { readDefinitions } from './read-definitions.ts';
import { SourceError, type Tool } from './tool.ts';

const endings = ['.ts', '.mts', '.js', '.mjs'];

/** In milliseconds. A module that waits for something at its top level must not hold up a run for ever. */
const loadingMs = 20_000;

/** The tool modules of an extensions folder. Each is loaded when first needed, and again if its file has changed. */
export class ToolModules {
  readonly #folder: string;
  readonly #loaded = new Map<string, { version: string; tools: Promise<Tool[]> }>();
  #failures = 0;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /**
   * The tools of a module, in the order of its array.
   *
   * @param name `tools.weather` for `tools/weather.ts` (or .mts, .js, .mjs), or the path `./tools/weather.ts`
   * @throws `SourceError` that names the file, what is wrong and what is allowed
   */
  async tools(name: string): Promise<Tool[]> {
    const file = this.find(name);
    const { mtimeNs, size } = statSync(file, { bigint: true });
    const version = `${mtimeNs}-${size}`;
    const known = this.#loaded.get(file);
    if (known?.version === version) return known.tools;
    // Node remembers a failure by the address, although the mistake may have been in another file that is mended by now.
    const tools = load(file, relative(this.#folder, file), `${version}.${this.#failures}`);
    this.#loaded.set(file, { version, tools });
    try {
      return await tools;
    } catch (error) {
      this.#failures += 1;
      if (this.#loaded.get(file)?.tools === tools) this.#loaded.delete(file);
      throw error;
    }
  }

  /** The file of a module, which is not loaded. @throws `SourceError` that names the file, and those that are there */
  find(name: string): string {
    const isPath = name.startsWith('./') && endings.includes(extname(name));
    if (!isPath && !/^[\w-]+(\.[\w-]+)*$/.test(name)) {
      throw new SourceError([
        `${name}: not the name of a tool package; tools.weather is tools/weather.ts in the extensions folder, ` +
          'and so is ./tools/weather.ts',
      ]);
    }
    const stem = join(this.#folder, isPath ? name : name.replaceAll('.', '/'));
    if (relative(this.#folder, stem).startsWith('..')) {
      throw new SourceError([`${name}: leads out of the extensions folder ${this.#folder}`]);
    }
    const file = (isPath ? [stem] : endings.map((ending) => stem + ending)).find(isFile);
    if (file === undefined) throw new SourceError([this.#missing(name, stem, isPath)]);
    return file;
  }

  #missing(name: string, stem: string, isPath: boolean): string {
    const file = relative(this.#folder, isPath ? stem : `${stem}.ts`);
    const others = isPath ? '' : ' (nor .mts, .js, .mjs)';
    const prefix = isPath ? './' : '';
    const there = modulesIn(dirname(stem)).map((path) => {
      const found = relative(this.#folder, path);
      return prefix + (isPath ? found : found.slice(0, -extname(found).length).replaceAll(/[/\\]/g, '.'));
    });
    const choices = there.length === 0 ? 'that place holds no modules' : `that place holds: ${there.join(', ')}`;
    return `${name}: there is no ${file}${others} in ${this.#folder};${didYouMean(name, there)} ${choices}`;
  }
}

// A module may say by zod what its arguments are, wherever it lies: without zod in its folder or above, it gets ours.
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^zod(?:\/|$)/.test(specifier)) throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});

async function load(file: string, shown: string, version: string): Promise<Tool[]> {
  const address = `${pathToFileURL(file).href}?version=${version}`;
  const exported = await inTime(import(/* @vite-ignore */ address) as Promise<object>).catch((error: unknown) => {
    throw new SourceError([`${shown}: fails to load: ${whyItFails(error, file)}`], { cause: error });
  });
  if (!('tools' in exported)) {
    const names = Object.keys(exported).join(', ') || 'nothing';
    throw new SourceError([`${shown}: must export an array "tools"; it exports ${names}`]);
  }
  const { tools, problems } = readDefinitions(exported.tools);
  if (problems.length > 0) throw new SourceError(problems.map((problem) => `${shown}: ${problem}`));
  return tools;
}

async function inTime<T>(loading: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it is not done after ${loadingMs / 1000} seconds`)), loadingMs);
  try {
    return await Promise.race([loading, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error, with the line of the module if the stack tells it, which alone knows the line of a syntax error. */
function whyItFails(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error);
  const name = basename(file).replaceAll('.', '\\.');
  const line = new RegExp(`${name}(?:\\?[^:\\s]*)?:(\\d+)`).exec(error.stack ?? '')?.[1];
  const { message } = error;
  return `${error.name}: ${message.replaceAll(/\?version=[\d.-]+/g, '')}${line === undefined ? '' : ` (line ${line})`}${remedyOf(message)}`;
}

/** What to do about a mistake that Node makes of TypeScript which compilers and bundlers take. */
function remedyOf(message: string): string {
  if (message.includes('in strip-only mode'))
    return '. Node only takes the types away: write it without, or compile it';
  if (message.includes('does not provide an')) return '. A type is imported by "import type"';
  const [, stem = ''] = /Cannot find module '(.+?)(?:\.m?js)?' imported/.exec(message) ?? [];
  const file = endings.map((ending) => stem + ending).find(isFile);
  return stem === '' || file === undefined ? '' : `. Import it by the name that it has: ${basename(file)}`;
}

function modulesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => endings.includes(extname(name)) && !name.endsWith('.d.ts'))
      .map((name) => join(folder, name))
      .sort();
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
