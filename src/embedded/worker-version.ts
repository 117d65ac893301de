import { createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentVariables, type Environment } from '../config/environment.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { version as packageVersion } from '../version.ts';
import type { VersionSettings } from '../worker.ts';
import { privateFolder, privateMode } from '../private-files.ts';
import { workflowBundle } from '../worker/workflow-bundle.ts';

/**
 * What a worker of this machine runs with. Its `buildId` is the deployment version of Temporal's Worker Versioning, to which
 * runs are pinned, so that a run keeps the code, the keys and the folder that it was started with.
 */
export interface WorkerVersion extends VersionSettings {
  /** Whether it is for the runs that commands of its home folder start, and not for those of everybody. */
  isOwn: boolean;
  /** A hash of the package's version, and in a clone of its sources. */
  code: string;
  /** A hash of the providers' keys and addresses, and of the variables that the configuration names. */
  environment: string;
  /** The folder of configurations and extensions. */
  extensions: string;
  /** Path of the bundle of workflows. */
  codePath: string;
  orchestrators: CustomOrchestrators;
}

/**
 * Finds out what a worker would run with here and now. It makes the bundle of workflows where there is none yet.
 *
 * @param names variables that the configuration names besides those that are always read
 * @param onBundling is called before a bundle is made, which takes seconds
 */
export async function currentVersion(
  home: string,
  extensions: string,
  environment: Environment,
  names: string[],
  onBundling: () => void,
): Promise<WorkerVersion> {
  const folder = resolve(extensions);
  const { codePath, hash, orchestrators } = await workflowBundle(home, folder, onBundling);
  const parts = { code: codeHash(), environment: environmentHash(home, environment, names), extensions: folder };
  const buildId = `${packageVersion}-${keyed(home, [...Object.values(parts), hash])}`;
  return { buildId, behavior: 'PINNED', isOwn: true, ...parts, codePath, orchestrators };
}

/**
 * What a worker runs with that serves everybody's runs. Its version is the same on all machines that have the same code, and
 * without custom orchestrators its runs may go on with the next version, since Reprise's own workflows are made for that.
 */
export async function sharedVersion(home: string, extensions: string, onBundling: () => void): Promise<WorkerVersion> {
  const folder = resolve(extensions);
  const { codePath, hash, orchestrators } = await workflowBundle(home, folder, onBundling);
  const code = codeHash();
  const custom = hash === '' ? '' : `-${hash.slice(0, 8)}`;
  return {
    buildId: `${packageVersion}-${code}${custom}`,
    behavior: hash === '' ? 'AUTO_UPGRADE' : 'PINNED',
    isOwn: false,
    code,
    environment: '',
    extensions: folder,
    codePath,
    orchestrators,
  };
}

/** A hash of everything in the environment that a run may come to need. Without the home's secret it tells nothing of it. */
function environmentHash(home: string, environment: Environment, names: string[]): string {
  const read = [...new Set([...environmentVariables, 'REPRISE_PRICES', ...names])].sort();
  const set = read.filter((name) => environment[name] !== undefined);
  return keyed(
    home,
    set.map((name) => `${name}=${environment[name]}`),
  );
}

/** The variables that a configuration names, in whichever of its keys: `api_key_env: NAME`, `${NAME}`. */
export function variablesNamedIn(text: string): string[] {
  const found = text.matchAll(/\bapi_key_env["']?\s*:\s*["']?([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}/g);
  return [...new Set([...found].map(([, key, placeholder]) => key ?? placeholder ?? ''))].sort();
}

const sources = fileURLToPath(new URL('..', import.meta.url));

/** A hash of the code that this package runs: an installed one changes with its version, a clone with every edit. */
function codeHash(): string {
  const hash = createHash('sha256').update(packageVersion);
  if (extname(import.meta.url) === '.ts') {
    for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) hash.update(file).update(readFileSync(join(sources, file)));
    }
  }
  return hash.digest('hex').slice(0, 12);
}

const keyed = (home: string, parts: string[]): string =>
  createHmac('sha256', homeSecret(home)).update(parts.join('\n')).digest('hex').slice(0, 12);

/** A secret of the home folder, made when it is first needed. */
function homeSecret(home: string): string {
  const file = join(home, 'secret');
  if (!existsSync(file)) {
    privateFolder(home);
    try {
      writeFileSync(file, randomBytes(32).toString('hex'), { mode: privateMode.file, flag: 'wx' });
    } catch (error) {
      // Another command has been quicker.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(file, 'utf8');
}
