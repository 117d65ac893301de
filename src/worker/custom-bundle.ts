import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { CustomOrchestrators } from '../config/custom-orchestrators.ts';
import { bundle, type Bundled, type Inputs } from './bundler.ts';
import { writeAtomic } from './write-atomic.ts';

/** Where things are: absolute paths. */
export interface Places {
  /** The module of the workflows, that of the registry of orchestrators, and the interceptor that guards what they run. */
  workflows: string;
  registry: string;
  guard: string;
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
export async function bundleWith(
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
async function bundleFiles(files: string[], entry: string, places: Places, inputs: Inputs): Promise<Bundled> {
  const { extensions, registry, guard, workflows } = places;
  const loads = files.map(
    (file) => `  ${JSON.stringify(file)}: () => require(${JSON.stringify(resolve(extensions, file))}),`,
  );
  writeAtomic(
    entry,
    [
      `const { registerOrchestrators } = require(${JSON.stringify(registry)});`,
      'registerOrchestrators({',
      ...loads,
      '});',
      `module.exports = require(${JSON.stringify(workflows)});`,
      '',
    ].join('\n'),
  );
  return bundle(entry, [guard], inputs);
}

function readKept(path: string): Kept | undefined {
  if (!existsSync(`${path}.json`) || !existsSync(`${path}.js`)) return undefined;
  return JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Kept;
}

const isFresh = ({ files, found, missing }: Kept, wanted: string[]): boolean =>
  found.join('\n') === wanted.join('\n') &&
  Object.entries(files).every(
    ([file, hash]) => existsSync(file) && hashOf(readFileSync(file, 'utf8')) === hash,
  ) &&
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
