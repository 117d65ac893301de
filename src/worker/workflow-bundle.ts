import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  cannotImport,
  findOrchestrators,
  nodeImports,
  noOrchestrators,
  textOf,
  type CustomOrchestrators,
} from '../config/extensions.ts';
import type { BundleParts, Bundled, Inputs } from './bundler.ts';
import { writeAtomic } from '../util/private-files.ts';
import { hashOf } from '../util/ids.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const prebuilt = join(root, 'workflow-bundle.js');

/** The ending of Reprise's own modules: `.ts` in a clone, `.js` in an installed package. */
const ending = extname(import.meta.url);

export interface WorkflowBundle {
  codePath: string;
  /** A hash of its code where it has custom orchestrators, else empty. */
  hash: string;
  orchestrators: CustomOrchestrators;
}

/**
 * The bundle of all workflows. An installed package brings it along; in a clone it is made from the sources, which takes
 * seconds, and kept by their hash. With custom orchestrators, which are looked for in the folder `extensions`, it is made and
 * kept in both; those that cannot be bundled are left out.
 *
 * @param onBundling is called before a bundle is made
 */
export async function workflowBundle(
  home: string,
  extensions: string,
  onBundling = (): void => {},
): Promise<WorkflowBundle> {
  const found = findOrchestrators(extensions);
  if (found.length > 0) return bundleWith(found, extensions, home, onBundling);
  const own = { hash: '', orchestrators: noOrchestrators };
  if (existsSync(prebuilt)) return { codePath: prebuilt, ...own };
  const codePath = keptBundle(home);
  if (existsSync(codePath)) return { codePath, ...own };
  onBundling();
  // Loading the bundler takes longer than most commands do, which only look which bundle there is.
  const { bundle } = await import('./bundler.ts');
  const bundled = await bundle(ownWorkflows, ownParts);
  if ('error' in bundled) throw new Error(`The workflows cannot be bundled: ${bundled.error}`);
  writeAtomic(codePath, bundled.code);
  return { codePath, ...own };
}

export const keptBundle = (home: string): string => join(home, 'bundles', `${sourceHash()}.js`);

const ownModule = (name: string): string => join(root, `${name}${ending}`);

export const ownWorkflows = ownModule('workflows/index');

export const failureConverter = ownModule('workflows/failure-converter');

/** Modules with Temporal's interceptors for every worker. */
const everywhere = ['runtime/tracing', 'runtime/own-store', 'runtime/activations'];

/** The one for workers that have no workflows but Reprise's, whose payload converter is the SDK's. */
const alone = 'runtime/messages';

const guard = 'custom-code/guard';

/** Interceptors, and what a thread loads once for all its runs (docs/decisions/0052-lean-workflow-threads.md). */
function partsWith(interceptors: string[]) {
  const workflowInterceptorModules = interceptors.map((name) => ownModule(`workflows/${name}`));
  return { workflowInterceptorModules, preloadModules: [ownWorkflows, ...workflowInterceptorModules] };
}

/** What a bundle has besides workflows, where they are Reprise's alone. */
export const ownParts: BundleParts = { ...partsWith([...everywhere, alone]), failureConverterPath: failureConverter };

const guardedParts: BundleParts = { ...ownParts, ...partsWith([...everywhere, alone, guard]) };

/** The same for a worker that has workflows of its own. */
export const joinedParts = partsWith([...everywhere, guard]);

/** A hash of the sources of the workflows, and of the lock file, which says with which SDK they are bundled. */
function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of [join(root, '..', 'package-lock.json'), ownModule('worker/bundler')])
    hash.update(readFileSync(file));
  for (const folder of ['workflows', 'protocol']) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const paths = files.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const file of paths.sort()) hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 24);
}

interface Kept {
  /** A hash of the bundle's code, which is also in the name of its file. */
  hash: string;
  found: string[];
  orchestrators: CustomOrchestrators;
  /** Hashes of the files from which the bundle was made, by their paths. */
  files: Record<string, string>;
  missing: string[];
}

/**
 * Makes one bundle of the workflows and of custom orchestrators, by their paths as in `./mine.ts`. One that was kept serves
 * again as long as no file from which it was made has changed.
 */
async function bundleWith(
  found: string[],
  extensions: string,
  home: string,
  onBundling: () => void,
): Promise<WorkflowBundle> {
  // A bundle's file is named by its content: a run that is under way keeps the one that it began with.
  const ownHash = existsSync(prebuilt) ? hashOf(readFileSync(prebuilt, 'utf8')) : sourceHash();
  const key = hashOf([ownHash, resolve(extensions)].join('\n')).slice(0, 24);
  const path = join(home, 'bundles', `custom-${key}`);
  const codePathOf = (hash: string): string => join(home, 'bundles', `custom-${hash}.js`);
  if (existsSync(`${path}.json`)) {
    const kept = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Kept;
    const { hash, orchestrators } = kept;
    if (isFresh(kept, found) && existsSync(codePathOf(hash)))
      return { codePath: codePathOf(hash), hash, orchestrators };
  }
  onBundling();
  const inputs: Inputs = { files: [], missing: [] };
  const { code, orchestrators } = await bundled(found, path, extensions, inputs);
  const hash = hashOf(code).slice(0, 24);
  writeAtomic(codePathOf(hash), code);
  const record: Kept = { hash, found, orchestrators, ...lookedAt(inputs) };
  writeAtomic(`${path}.json`, JSON.stringify(record));
  return { codePath: codePathOf(hash), hash, orchestrators };
}

/**
 * Bundles all files together; where that fails, tries each without the workflows, which takes a third of the time, to find out
 * which ones must be left out. What imports Node's modules by itself is left out untried: mostly a test or a script that has
 * an orchestrator in a text, and bundling all that it imports takes seconds.
 */
async function bundled(
  found: string[],
  path: string,
  extensions: string,
  inputs: Inputs,
): Promise<{ code: string; orchestrators: CustomOrchestrators }> {
  const { bundle } = await import('./bundler.ts');
  const bundleFiles = (some: string[], entry: string): Promise<Bundled> => {
    writeEntry(entry, some, extensions);
    return bundle(entry, guardedParts, inputs);
  };
  const leftOut: Record<string, string> = {};
  for (const file of found) {
    const imported = nodeImports(textOf(resolve(extensions, file)));
    if (imported.length > 0) leftOut[file] = cannotImport(imported);
  }
  inputs.files.push(...Object.keys(leftOut).map((file) => resolve(extensions, file)));
  const files = found.filter((file) => leftOut[file] === undefined);
  const all = await bundleFiles(files, `${path}.cjs`);
  if ('code' in all) return { code: all.code, orchestrators: { names: files, leftOut } };
  for (const file of files) {
    const entry = `${path}.alone.cjs`;
    writeAtomic(entry, `module.exports = ${required(resolve(extensions, file))};\n`);
    const alone = await bundle(entry, { failureConverterPath: failureConverter }, inputs);
    if ('error' in alone) leftOut[file] = alone.error;
  }
  const names = files.filter((file) => leftOut[file] === undefined);
  const good = await bundleFiles(names, `${path}.good.cjs`);
  if ('error' in good) throw new Error(`The workflows cannot be bundled: ${good.error}`);
  return { code: good.code, orchestrators: { names, leftOut } };
}

/** Writes a module that registers custom orchestrators, and exports the workflows of Reprise and of other modules. */
export function writeEntry(entry: string, files: string[], extensions: string, others: string[] = []): void {
  const loads = files.map((file) => `  ${JSON.stringify(file)}: () => ${required(resolve(extensions, file))},`);
  const modules = [...others, ownWorkflows].map((path) => `...${required(path)}`);
  // What becomes of types that nobody exports is for the others to say.
  const fallbacks = others.map((path) => `default: ${required(path)}.default`);
  writeAtomic(
    entry,
    [
      `const { registerOrchestrators } = ${required(ownModule('workflows/custom-code/load'))};`,
      'registerOrchestrators({',
      ...loads,
      '});',
      `module.exports = { ${[...modules, ...fallbacks].join(', ')} };`,
      '',
    ].join('\n'),
  );
}

const required = (path: string): string => `require(${JSON.stringify(path)})`;

const isFresh = ({ files, found, missing }: Kept, wanted: string[]): boolean =>
  found.join('\n') === wanted.join('\n') &&
  Object.entries(files).every(([file, hash]) => existsSync(file) && hashOf(readFileSync(file, 'utf8')) === hash) &&
  !missing.some(existsSync);

/** Of a package only `package.json` counts, since it changes with the package's version. */
function lookedAt(inputs: Inputs): Pick<Kept, 'files' | 'missing'> {
  const files = [...new Set(inputs.files)]
    .filter((file) => !/[\\/]node_modules[\\/]/.test(file) || basename(file) === 'package.json')
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  return {
    files: Object.fromEntries(files.map((file) => [file, hashOf(readFileSync(file, 'utf8'))])),
    missing: [...new Set(inputs.missing)].filter((path) => !existsSync(path)),
  };
}
