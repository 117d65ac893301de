import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { bundleWorkflowCode, type BundleOptions } from '@temporalio/worker';
import { cannotImport } from '../config/extensions.ts';

type Configuration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

export type Inputs = Record<'files' | 'missing', string[]>;

export type BundleParts = Pick<BundleOptions, 'failureConverterPath' | 'preloadModules' | 'workflowInterceptorModules'>;

export type Bundled = { code: string } | { error: string };

type Listener = (compilation: {
  fileDependencies: Iterable<string>;
  missingDependencies: Iterable<string>;
  errors: Array<{ message: string }>;
}) => void;

/** Bundles workflows, whichever folder their modules are in. @param inputs to which those of the bundle are added */
export async function bundle(entry: string, parts: BundleParts, inputs?: Inputs): Promise<Bundled> {
  const errors: string[] = [];
  const listen: Listener = ({ errors: found, fileDependencies, missingDependencies }) => {
    inputs?.files.push(...fileDependencies);
    inputs?.missing.push(...missingDependencies);
    errors.push(...found.map(({ message }) => message));
  };
  try {
    const { code } = await bundleWorkflowCode({
      // Webpack resolves links, and would not find what the SDK puts beside the entry.
      workflowsPath: realpathSync(entry),
      ...parts,
      webpackConfigHook: (configuration) => listening(lean(adaptedConfiguration(configuration)), listen),
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

/** The folder of Temporal's SDK. Modules in other folders cannot find it, and a bundle must have one copy only. */
const sdk = dirname(dirname(createRequire(import.meta.url).resolve('@temporalio/workflow')));

/** Has TypeScript modules of any folder and of any ending bundled. */
export function adaptedConfiguration(configuration: Configuration): Configuration {
  const { resolve, module } = configuration;
  // The compiler is to read no `.swcrc` beside a module, which may name plugins that it would run.
  const rules = (module?.rules ?? []).map((rule) => compiling(rule, (options) => ({ ...options, swcrc: false })));
  // The SDK's bundler strips types from .ts files only.
  const ofTypes = rules.filter(
    (rule) => typeof rule === 'object' && rule?.test instanceof RegExp && rule.test.test('a.ts'),
  ) as object[];
  return {
    ...configuration,
    resolve: { ...resolve, alias: { ...(resolve?.alias as object), '@temporalio/workflow': sdk } },
    module: { ...module, rules: [...rules, ...ofTypes.map((rule) => ({ ...rule, test: /\.mts$/ }))] },
  };
}

type CompilerOptions = { jsc?: object };

function compiling<R>(rule: R, change: (options: CompilerOptions | undefined) => object): R {
  const { use } = (rule ?? {}) as { use?: { loader?: unknown; options?: CompilerOptions } };
  if (typeof use?.loader !== 'string' || !use.loader.includes('swc-loader')) return rule;
  return { ...rule, use: { ...use, options: change(use.options) } };
}

/**
 * Has little to read for each worker, which reads as it starts, and once more in its thread. What Node knows is not put into older
 * words, which are a third of the code. Sources are mapped by lines, without their texts, and those of packages not at all.
 */
function lean({ module, output, ...rest }: Configuration): Configuration {
  const rules = (module?.rules ?? []).map((rule) =>
    typeof rule === 'object' && rule?.enforce === 'pre'
      ? { ...rule, exclude: /[\\/]node_modules[\\/]/ }
      : compiling(rule, (options) => ({ ...options, jsc: { ...options?.jsc, target: 'es2022' } })),
  );
  return {
    ...rest,
    output: { ...output, pathinfo: false },
    devtool: 'inline-nosources-cheap-module-source-map',
    module: { ...module, rules },
  };
}

const withPlugin = (
  configuration: Configuration,
  plugin: NonNullable<Configuration['plugins']>[number],
): Configuration => ({ ...configuration, plugins: [...(configuration.plugins ?? []), plugin] });

/** Has bundling wait for some work, which may still change the entry. */
export const after = (work: () => Promise<void>, configuration: Configuration): Configuration =>
  withPlugin(configuration, { apply: ({ hooks }) => hooks.beforeRun.tapPromise('reprise', work) });

const listening = (configuration: Configuration, listen: Listener): Configuration =>
  withPlugin(configuration, {
    apply({ hooks }) {
      hooks.done.tap('reprise', ({ compilation }) => listen(compilation));
      hooks.normalModuleFactory.tap('reprise', (factory) =>
        factory.hooks.beforeResolve.tap('reprise', ({ request }) => refuseLoader(request)),
      );
    },
  });

/**
 * Refuses an import that names loaders, which webpack would run in this process (https://webpack.js.org/concepts/loaders/#inline):
 * modules are found by looking, and may be among the files that an agent has made.
 */
function refuseLoader(request: string): undefined {
  if (request.includes('!')) throw new Error(`"${request}" names a loader, and what is bundled may not run anything`);
}

/** A compiler's message without colours, stacks and phrases of webpack; its first lines say what is wrong, and where. */
const plain = (message: string): string =>
  stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:\s+at |Module build failed|Caused by:)/.test(line))
    .map((line) => line.replace(/^Error:\s+/, ''))
    .slice(0, 8)
    .join('\n');

/** Imports that workflows cannot have, in words. The SDK lists them, and webpack names those that begin with `node:`. */
function notAllowed(message: string): string | undefined {
  const found = message.matchAll(/^ {2}- '(.*)'$|Reading from "(node:[^"]+)"/gm);
  const names = [...new Set([...found].map(([, listed, read]) => listed ?? read))];
  return names.length === 0 ? undefined : cannotImport(names.map(String));
}
