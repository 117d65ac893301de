import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOrchestrators, noOrchestrators, type CustomOrchestrators } from '../config/extensions.ts';
import { bundle, type Bundled, type Inputs } from './bundler.ts';
import { writeAtomic } from './write-atomic.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Made when the package is built. */
const prebuilt = join(root, 'workflow-bundle.js');

/** The ending of our own modules: `.ts` in a clone, `.js` in an installed package. */
const ending = extname(import.meta.url);

/** The folders whose code runs in workflows. */
const sources = ['workflows', 'protocol'];

export interface WorkflowBundle {
  codePath: string;
  orchestrators: CustomOrchestrators;
}

/**
 * The bundle of all workflows: the prebuilt one in an installed package; in a clone made from the sources, which takes
 * seconds, and kept by their hash. With custom orchestrators it is made, and kept, in either.
 *
 * @param home where it is kept
 * @param extensions the folder where custom orchestrators are looked for; a file that cannot be bundled is left out
 * @param onBundling called before the slow case
 */
export async function workflowBundle(
  home: string,
  extensions: string,
  onBundling = (): void => {},
): Promise<WorkflowBundle> {
  const found = findOrchestrators(extensions);
  if (found.length > 0) {
    const folder = join(home, 'bundles');
    return bundleWith(found, { extensions, folder, hash: ownHash() }, onBundling);
  }
  const orchestrators = noOrchestrators;
  if (existsSync(prebuilt)) return { codePath: prebuilt, orchestrators };
  const codePath = keptBundle(home);
  if (existsSync(codePath)) return { codePath, orchestrators };
  onBundling();
  const bundled = await bundle(ownModule('workflows/index'), []);
  if ('error' in bundled) throw new Error(`The workflows cannot be bundled: ${bundled.error}`);
  writeAtomic(codePath, bundled.code);
  return { codePath, orchestrators };
}

/** Where a home folder keeps the bundle of the present sources. */
export const keptBundle = (home: string): string => join(home, 'bundles', `${sourceHash()}.js`);

const ownModule = (name: string): string => join(root, `${name}${ending}`);

/** Temporal's interceptor that guards what custom orchestrators run. */
export const guardModule = ownModule('workflows/custom-code/guard');

/** An installed package's code is as its bundle is. */
const ownHash = (): string =>
  existsSync(prebuilt) ? createHash('sha256').update(readFileSync(prebuilt)).digest('hex') : sourceHash();

/** Of the sources, and of the file that says which SDK they are bundled with. */
function sourceHash(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, '..', 'package-lock.json')));
  for (const folder of sources) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    for (const file of files
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()) {
      hash.update(file.slice(root.length)).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 24);
}

/** Where things are: absolute paths. */
interface Places {
  extensions: string;
  /** Where bundles are kept. */
  folder: string;
  /** Of Reprise's own code. */
  hash: string;
}

/** What is kept beside a bundle. */
interface Kept {
  /** Paths of all that was found. */
  found: string[];
  orchestrators: CustomOrchestrators;
  /** Hashes of the files that went into it, by their paths. */
  files: Record<string, string>;
  /** Paths where something was looked for and nothing was. */
  missing: string[];
}

/**
 * Makes one bundle of the workflows and of custom orchestrators. Those that cannot be bundled are left out and named
 * with the reason; what is kept serves again as long as no file that it was made from has changed.
 *
 * @param found paths of the files, as in `./mine.ts`
 * @param onBundling called before the slow case
 */
async function bundleWith(
  found: string[],
  places: Places,
  onBundling: () => void,
): Promise<{ codePath: string; orchestrators: CustomOrchestrators }> {
  // One bundle for each folder: they are large, and its files are edited often.
  const key = hashOf([places.hash, resolve(places.extensions)].join('\n')).slice(0, 24);
  const path = join(places.folder, `custom-${key}`);
  const codePath = `${path}.js`;
  const kept = readKept(path);
  if (kept !== undefined && isFresh(kept, found)) return { codePath, orchestrators: kept.orchestrators };
  onBundling();
  const inputs: Inputs = { files: [], missing: [] };
  const { code, orchestrators } = await bundled(found, path, places, inputs);
  rmSync(`${path}.json`, { force: true });
  writeAtomic(codePath, code);
  writeAtomic(`${path}.json`, JSON.stringify(keptOf(found, orchestrators, inputs)));
  return { codePath, orchestrators };
}

interface Result {
  code: string;
  orchestrators: CustomOrchestrators;
}

/** All at once, since mostly all are good; where they are not, each by itself, to find out which. */
async function bundled(files: string[], path: string, places: Places, inputs: Inputs): Promise<Result> {
  const all = await bundleFiles(files, `${path}.cjs`, places, inputs);
  if ('code' in all) return { code: all.code, orchestrators: { names: files, leftOut: {} } };
  const leftOut: Record<string, string> = {};
  for (const file of files) {
    const alone = await bundleFiles([file], `${path}.alone.cjs`, places, inputs);
    if ('error' in alone) leftOut[file] = alone.error;
  }
  const names = files.filter((file) => leftOut[file] === undefined);
  const good = await bundleFiles(names, `${path}.good.cjs`, places, inputs);
  if ('error' in good) throw new Error(`The workflows cannot be bundled: ${good.error}`);
  return { code: good.code, orchestrators: { names, leftOut } };
}

/** @param entry where the module that brings the files and the workflows together is written */
async function bundleFiles(files: string[], entry: string, { extensions }: Places, inputs: Inputs): Promise<Bundled> {
  writeEntry(entry, files, extensions);
  return bundle(entry, [guardModule], inputs);
}

/**
 * Writes a module that exports our workflows and those of other modules, with custom orchestrators at hand.
 *
 * @param files the orchestrators' files, by their paths in the folder of extensions
 * @param others absolute paths of modules that export workflows
 */
export function writeEntry(entry: string, files: string[], extensions: string, others: string[] = []): void {
  const required = (path: string): string => `require(${JSON.stringify(path)})`;
  const loads = files.map((file) => `  ${JSON.stringify(file)}: () => ${required(resolve(extensions, file))},`);
  const modules = [...others, ownModule('workflows/index')].map((path) => `...${required(path)}`);
  writeAtomic(
    entry,
    [
      `const { registerOrchestrators } = ${required(ownModule('workflows/custom-code/load'))};`,
      'registerOrchestrators({',
      ...loads,
      '});',
      `module.exports = { ${modules.join(', ')} };`,
      '',
    ].join('\n'),
  );
}

function readKept(path: string): Kept | undefined {
  if (!existsSync(`${path}.json`) || !existsSync(`${path}.js`)) return undefined;
  return JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Kept;
}

const isFresh = ({ files, found, missing }: Kept, wanted: string[]): boolean =>
  found.join('\n') === wanted.join('\n') &&
  Object.entries(files).every(([file, hash]) => existsSync(file) && hashOf(readFileSync(file, 'utf8')) === hash) &&
  !missing.some(existsSync);

/** Of packages it is enough that their versions are the same: a `package.json` is among what is read. */
function keptOf(found: string[], orchestrators: CustomOrchestrators, inputs: Inputs): Kept {
  const files = [...new Set(inputs.files)]
    .filter((file) => !/[\\/]node_modules[\\/]/.test(file) || basename(file) === 'package.json')
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  return {
    found,
    orchestrators,
    files: Object.fromEntries(files.map((file) => [file, hashOf(readFileSync(file, 'utf8'))])),
    missing: [...new Set(inputs.missing)].filter((path) => !existsSync(path)),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
