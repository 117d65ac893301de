import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { bundleWorkflowCode, type BundleOptions } from '@temporalio/worker';

type Configuration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** What a bundle was made from. */
export interface Inputs {
  /** Files that were read. */
  files: string[];
  /** Paths where something was looked for and nothing was. */
  missing: string[];
}

export type Bundled = { code: string } | { error: string };

/** What webpack tells of a compilation that is finished. */
interface Compilation {
  fileDependencies: Iterable<string>;
  missingDependencies: Iterable<string>;
  errors: Array<{ message: string }>;
}

/**
 * Bundles workflows, whichever folder their modules are in.
 *
 * @param entry the module that exports them
 * @param interceptors modules of Temporal's interceptors
 * @param inputs gets what the bundle is made from
 */
export async function bundle(entry: string, interceptors: string[], inputs?: Inputs): Promise<Bundled> {
  const errors: string[] = [];
  const listen = (compilation: Compilation): void => {
    inputs?.files.push(...compilation.fileDependencies);
    inputs?.missing.push(...compilation.missingDependencies);
    errors.push(...compilation.errors.map(({ message }) => message));
  };
  try {
    const { code } = await bundleWorkflowCode({
      workflowsPath: entry,
      workflowInterceptorModules: interceptors,
      webpackConfigHook: (configuration) => listening(adaptedConfiguration(configuration), listen),
      logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    });
    return { code };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return {
      error: notAllowed([...errors, error.message].join('\n')) ?? (errors.map(plain).join('; ') || error.message),
    };
  }
}

/** Temporal's SDK, which modules elsewhere cannot find, and of which there may be one copy only. */
const sdk = dirname(dirname(createRequire(import.meta.url).resolve('@temporalio/workflow')));

/** A configuration with which modules of any folder are bundled, whatever their types are written in. */
export function adaptedConfiguration(configuration: Configuration): Configuration {
  const { resolve, module } = configuration;
  const rules = module?.rules ?? [];
  // The SDK's bundler strips the types of .ts only.
  const ofTypes = rules.filter(
    (rule) => typeof rule === 'object' && rule?.test instanceof RegExp && rule.test.test('a.ts'),
  ) as object[];
  return {
    ...configuration,
    resolve: { ...resolve, alias: { ...(resolve?.alias as object), '@temporalio/workflow': sdk } },
    module: { ...module, rules: [...rules, ...ofTypes.map((rule) => ({ ...rule, test: /\.mts$/ }))] },
  };
}

const listening = (configuration: Configuration, listen: (compilation: Compilation) => void): Configuration => ({
  ...configuration,
  plugins: [
    ...(configuration.plugins ?? []),
    { apply: (compiler) => compiler.hooks.done.tap('reprise', ({ compilation }) => listen(compilation)) },
  ],
});

/** The first lines of a compiler's message say what and where; colours, stacks and its own parts are left out. */
const plain = (message: string): string =>
  stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:\s+at |Module build failed|Caused by:)/.test(line))
    .map((line) => line.replace(/^Error:\s+/, ''))
    .slice(0, 8)
    .join('\n');

/** Imports that do not go with workflows: the SDK lists them, the compiler names those that begin with `node:`. */
function notAllowed(message: string): string | undefined {
  const found = message.matchAll(/^ {2}- '(.*)'$|Reading from "(node:[^"]+)"/gm);
  const names = [...new Set([...found].map(([, listed, read]) => listed ?? read))];
  if (names.length === 0) return undefined;
  return `it imports ${names.join(', ')}, which code that runs in workflows cannot have (docs/custom-orchestrators.md)`;
}
