import { ApplicationFailure } from '@temporalio/common';
import type { Backend } from '../config/backend.ts';
import { modulePathProblem } from '../config/extensions.ts';
import type { McpServer } from '../config/tool-sources.ts';
import { failureTypes } from '../protocol/errors.ts';
import type { ToolSource } from '../protocol/tool.ts';
import type { Guard } from '../trust/guard.ts';
import type { OpenedActivities } from './activities.ts';

/**
 * Puts a check before each activity that reaches beyond the run: programs, modules, addresses, keys and files must be those of
 * a configuration that the worker trusts, or be allowed to anybody. Runs have shown as much when they began; this is for what
 * asks the activities without having begun like that.
 *
 * @throws (from the activities) `ApplicationFailure` of type `NotAllowed`
 */
export function gated(activities: OpenedActivities, guard: Guard): OpenedActivities {
  const { callModel, callTool, exportFiles, findOrchestrator, importFolders, listTools, openIssue, search, storeAttachments } =
    activities;

  const checkBackend = ({ seal, ...backend }: Backend) => guard.check('backend', backend, seal);

  async function checkSource(source: ToolSource): Promise<void> {
    if (!('mcp' in source)) return void (await guard.check('package', source.package, source.seal));
    const { seal, ...server } = source.mcp;
    await guard.check('mcp', server, seal);
  }

  return {
    ...activities,

    async callModel(input) {
      await checkBackend(input.backend);
      return callModel(input);
    },

    async listTools(input) {
      const { mcpServers, packages, seals = {} } = input.sources;
      const sealOf = (name: string): { seal?: string } => {
        const seal = Object.hasOwn(seals, name) ? seals[name] : undefined;
        return seal === undefined ? {} : { seal };
      };
      for (const name of packages) await checkSource({ package: name, ...sealOf(name) });
      for (const mcp of mcpServers) await checkSource({ mcp });
      const listed = await listTools(input);
      // Each tool takes the seal of its package along, for when it is called.
      const sealed = (list: typeof listed): typeof listed => ({
        ...list,
        tools: list.tools.map(({ source, ...tool }) => ({
          ...tool,
          source: 'mcp' in source ? source : { ...source, ...sealOf(source.package) },
        })),
      });
      return { ...sealed(listed), ...(listed.others && { others: listed.others.map(sealed) }) };
    },

    async callTool(input) {
      await checkSource(input.tool.source);
      return callTool(input);
    },

    async search(input) {
      const { seal, ...settings } = input.search;
      await guard.check('search', settings, seal);
      return search(input);
    },

    async openIssue(input) {
      const { labels, repo, seal } = input;
      await guard.check('issue', { repo, labels }, seal);
      return openIssue(input);
    },

    async storeAttachments(input) {
      await guard.check('attachments', input.attachments, input.seal);
      if (input.backend === undefined) return storeAttachments(input);
      const standing = await checkBackend(input.backend);
      const { backend, ...rest } = input;
      // A recording is transcribed by the model's provider, with the key; not so at an address that an input chose.
      const isOwn = standing === 'sealed' || mayHaveKeys(backend as Backend, guard);
      return storeAttachments(isOwn ? input : rest);
    },

    async importFolders(folders, seals = {}) {
      for (const folder of folders)
        await guard.check('folder', folder, Object.hasOwn(seals, folder) ? seals[folder] : undefined);
      return importFolders(folders);
    },

    async exportFiles(folder, part, exported, seal) {
      await guard.check('folder', folder, seal);
      return exportFiles(folder, part, exported);
    },

    async findOrchestrator(file) {
      const problem = modulePathProblem(file);
      if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, failureTypes.invalidInput);
      return findOrchestrator(file);
    },
  };
}

/**
 * Whether a backend gets the worker's keys. Its seal has been checked before. One without is allowed for its address, which
 * an input may have chosen.
 */
export const mayHaveKeys = (backend: Backend, { policy }: Guard): boolean =>
  backend.seal !== undefined || backend.type === 'offline' || policy.isOwnAddress(backend);

/** Whether an MCP server gets the worker's variables and logins, see `mayHaveKeys`. */
export const isTrustedServer = ({ seal }: McpServer): boolean => seal !== undefined;
