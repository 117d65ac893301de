import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentVariables } from '../config/environment-variables.ts';
import type { Environment } from '../util/environment.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { homeSecret } from '../trust/mac.ts';
import { version as packageVersion } from '../util/version.ts';
import type { VersionSettings } from '../worker.ts';
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
  /** A hash of the providers' keys and addresses, of the variables that the configuration names, and of `allow`. */
  environment: string;
  allow: string[];
  extensions: string;
  codePath: string;
  orchestrators: CustomOrchestrators;
}

/**
 * Finds out what a worker would run with here and now.
 *
 * @param names variables that the configuration names besides those that are always read
 * @param allow what inputs may bring, in words as `allowWords` has them
 * @param onBundling is called before a bundle is made, which takes seconds
 */
export async function currentVersion(
  home: string,
  extensions: string,
  environment: Environment,
  names: string[],
  allow: string[],
  onBundling: () => void,
): Promise<WorkerVersion> {
  const { bundle, ...parts } = await partsOf(home, extensions, allow, onBundling);
  const hash = environmentHash(home, environment, names, allow);
  const buildId = `${packageVersion}-${keyed(home, [parts.code, hash, parts.extensions, bundle])}`;
  return { ...parts, buildId, behavior: 'PINNED', isOwn: true, environment: hash };
}

/**
 * What a worker runs with that serves everybody's runs. Its version is the same on all machines that have the same code, and
 * without custom orchestrators its runs may go on with the next version, since Reprise's own workflows are made for that.
 */
export async function sharedVersion(
  home: string,
  extensions: string,
  allow: string[],
  onBundling: () => void,
): Promise<WorkerVersion> {
  const { bundle, ...parts } = await partsOf(home, extensions, allow, onBundling);
  const common = { ...parts, isOwn: false, environment: '' };
  const buildId = `${packageVersion}-${parts.code}`;
  if (bundle === '') return { ...common, buildId, behavior: 'AUTO_UPGRADE' };
  return { ...common, buildId: `${buildId}-${bundle.slice(0, 8)}`, behavior: 'PINNED' };
}

async function partsOf(home: string, extensions: string, allow: string[], onBundling: () => void) {
  const folder = resolve(extensions);
  const { codePath, hash: bundle, orchestrators } = await workflowBundle(home, folder, onBundling);
  return { code: codeHash(), bundle, allow, extensions: folder, codePath, orchestrators };
}

/** A hash of everything in the environment that a run may come to need. Without the home's secret it tells nothing of it. */
function environmentHash(home: string, environment: Environment, names: string[], allow: string[]): string {
  const read = [...new Set([...environmentVariables, 'REPRISE_PRICES', ...names])].sort();
  const set = read.filter((name) => environment[name] !== undefined);
  return keyed(home, [...set.map((name) => `${name}=${environment[name]}`), ...allow.map((word) => `allow ${word}`)]);
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
