import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Made when the package is built. */
const prebuilt = join(root, 'workflow-bundle.js');

/** The folders whose code runs in workflows, and the file that says which SDK it is bundled with. */
const sources = ['workflows', 'agents', 'rules', 'prompts', 'messages'];

/**
 * The bundle of all workflows: the prebuilt one in an installed package; in a clone made from the sources, which
 * takes seconds, and kept by their hash.
 *
 * @param home where it is kept
 * @param onBundling called before the slow case
 */
export async function workflowBundle(
  home: string,
  onBundling = (): void => {},
): Promise<{ codePath: string }> {
  if (existsSync(prebuilt)) return { codePath: prebuilt };
  const codePath = keptBundle(home);
  if (existsSync(codePath)) return { codePath };
  onBundling();
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    logger: {
      log() {},
      trace() {},
      debug() {},
      info() {},
      warn() {},
      error: (text: string) => console.error(text),
    },
  });
  mkdirSync(dirname(codePath), { recursive: true });
  // Two workers may bundle at once: each writes a file of its own and renames it, which is atomic.
  const part = `${codePath}.${process.pid}`;
  writeFileSync(part, code);
  renameSync(part, codePath);
  return { codePath };
}

/** Where a home folder keeps the bundle of the present sources. */
export const keptBundle = (home: string): string => join(home, 'bundles', `${sourceHash()}.js`);

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
