import { join } from 'node:path';
import { SimplePlugin } from '@temporalio/plugin';
import type { DataConverter } from '@temporalio/common';
import type { BundleOptions, NativeConnection, Worker, WorkerOptions } from '@temporalio/worker';
import { workflowTypes } from '../protocol/definitions.ts';
import {
  exportsName,
  findOrchestrators,
  noOrchestrators,
  textOf,
  type CustomOrchestrators,
} from '../config/extensions.ts';
import { awaitStore } from './await-store.ts';
import { failureConverterPath } from '../encryption/codec.ts';
import { readKeys } from '../encryption/keys.ts';
import { readEnvironment } from '../util/environment.ts';
import { adaptedConfiguration, after } from './bundler.ts';
import { heartbeatThrottle, openParts, withDefaults, type PartSettings, type WorkerParts } from './parts.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { hashOf } from '../util/ids.ts';
import { joinedParts, ownWorkflows, workflowBundle, writeEntry } from './workflow-bundle.ts';

/** Custom orchestrators are looked for only in a `configFolder` that is named: in the working directory there may be anything. */
export type PluginSettings = Partial<PartSettings>;

/**
 * Adds Reprise's workflows and activities to a worker that has its own: `Worker.create({…, plugins: [new
 * ReprisePlugin()]})` with `workflowsPath`, or `bundleWorkflowCode({…, plugins: [plugin]})` beforehand. Runs are then
 * started on that worker's task queue (`connect({ taskQueue })`). A custom orchestrator that cannot be bundled is left out, as it
 * is by `createWorker`, and a run that asks for it ends with the reason. With `REPRISE_ENCRYPTION_KEY` the worker's own workflows
 * are encrypted too; a bundle must then be made with the variable set.
 *
 * @throws `MissingSearchAttributesError` when the worker is run, where search attributes are missing and may not be
 *   registered from here; `StoreUnavailableError` then, where the store cannot be used within a minute
 */
export class ReprisePlugin extends SimplePlugin {
  readonly #settings: PartSettings;
  /** Those that were found, and once the workflows are bundled, those that are in the bundle. */
  readonly #orchestrators: CustomOrchestrators;
  /** What is known of the worker that has the plugin, if one has. */
  #joined: { connection: NativeConnection; namespace: string; taskQueue: string; parts: WorkerParts } | undefined;
  readonly #known = { hasQuestion: false };

  constructor(settings: PluginSettings = {}) {
    super({ name: 'reprise' });
    const { configFolder } = settings;
    this.#settings = withDefaults(settings);
    this.#orchestrators =
      configFolder === undefined ? noOrchestrators : { names: findOrchestrators(configFolder), leftOut: {} };
  }

  /**
   * @throws `TypeError` where the worker has no connection, by which runs that hold it up are ended, or has an activity of
   *   the name of one of Reprise's; where the plugin is another worker's already
   */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    const { activities = {}, connection, namespace = 'default', taskQueue } = options;
    if (connection === undefined) throw new TypeError('ReprisePlugin needs the connection of the worker');
    const joined = this.#joined;
    if (joined !== undefined && (joined.connection !== connection || joined.taskQueue !== taskQueue))
      throw new TypeError('A ReprisePlugin belongs to one worker: make another one for each');
    const before: Record<string, unknown> = { ...joined?.parts.activities };
    const parts = openParts(this.#settings, this.#orchestrators, this.#known);
    this.#joined = { connection, namespace, taskQueue, parts };
    const taken = Object.entries(activities).flatMap(([name, own]) =>
      Object.hasOwn(parts.activities, name) && own !== before[name] ? [name] : [],
    );
    assertNoneTaken('The worker has activities', taken);
    return {
      ...options,
      ...(options.workflowsPath === undefined &&
        options.workflowBundle === undefined && { workflowsPath: ownWorkflows }),
      activities: { ...activities, ...parts.activities },
      sinks: { ...options.sinks, ...parts.sinks(connection, namespace) },
      interceptors: {
        ...options.interceptors,
        activity: [...(options.interceptors?.activity ?? []), ...parts.interceptors],
      },
      dataConverter: withCodecs(options.dataConverter, parts.dataConverter),
      maxHeartbeatThrottleInterval: options.maxHeartbeatThrottleInterval ?? heartbeatThrottle,
    };
  }

  /** @throws `TypeError` where a workflow has the type of one of Reprise's */
  override configureBundler(options: BundleOptions): BundleOptions {
    const own = options.workflowsPath === ownWorkflows ? undefined : options.workflowsPath;
    return {
      ...options,
      workflowsPath: this.#entry(own),
      webpackConfigHook: (configuration) =>
        after(
          () => this.#leaveOut(own),
          adaptedConfiguration(options.webpackConfigHook?.(configuration) ?? configuration),
        ),
      ...(readKeys(readEnvironment(this.#settings.variables)).on && {
        failureConverterPath: options.failureConverterPath ?? failureConverterPath,
      }),
      workflowInterceptorModules: [
        ...(options.workflowInterceptorModules ?? []),
        ...joinedParts.workflowInterceptorModules,
      ],
      preloadModules: [...(options.preloadModules ?? []), ...joinedParts.preloadModules],
    };
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.#joined === undefined) return next(worker);
    const { connection, namespace, parts } = this.#joined;
    try {
      Object.assign(this.#known, await registerSearchAttributes(connection, namespace));
      await awaitStore(parts.store);
      await parts.join(connection, namespace);
      await parts.run(worker, next);
    } finally {
      // The next one may have it.
      this.#joined = undefined;
    }
  }

  /** Writes a module that exports the worker's own workflows and Reprise's. @returns its path */
  #entry(own: string | undefined): string {
    const { configFolder, home } = this.#settings;
    const taken = ['notification', ...workflowTypes].filter(
      (type) => own !== undefined && exportsName(textOf(own), type),
    );
    assertNoneTaken(`${own} exports workflows`, taken);
    // Workers that begin at the same time have workflows of their own.
    const mark = hashOf(JSON.stringify([own, configFolder])).slice(0, 12);
    const entry = join(home, 'bundles', `joined-${mark}.cjs`);
    writeEntry(entry, this.#orchestrators.names, configFolder, own === undefined ? [] : [own]);
    return entry;
  }

  /** Leaves out of the bundle the orchestrators that would make it fail, which are found out by bundling them apart. */
  async #leaveOut(own: string | undefined): Promise<void> {
    if (this.#orchestrators.names.length === 0) return;
    const { configFolder, home } = this.#settings;
    Object.assign(this.#orchestrators, (await workflowBundle(home, configFolder)).orchestrators);
    this.#entry(own);
  }
}

function assertNoneTaken(what: string, names: string[]): void {
  if (names.length === 0) return;
  throw new TypeError(`${what} of names that Reprise's have: ${names.join(', ')}. Give them other names`);
}

/** The converter of the worker's own, with Reprise's encryption on the way to the server and back. */
const withCodecs = (own: DataConverter | undefined, { payloadCodecs = [], ...ours }: DataConverter): DataConverter => ({
  ...ours,
  ...own,
  payloadCodecs: [...(own?.payloadCodecs ?? []), ...payloadCodecs],
});
