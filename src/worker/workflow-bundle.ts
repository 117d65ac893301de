import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  findOrchestrators,
  noOrchestrators,
  type CustomOrchestrators,
} from '../config/custom-orchestrators.ts';
import { bundle } from './bundler.ts';
import { bundleWith } from './custom-bundle.ts';
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
    const own = {
      workflows: ownModule('workflows/index'),
      registry: ownModule('workflows/custom-code/load'),
    };
    const guard = ownModule('workflows/custom-code/guard');
    const folder = join(home, 'bundles');
    return bundleWith(found, { ...own, guard, extensions, folder, hash: ownHash() }, onBundling);
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
