import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { modulePathProblem } from '../config/extensions.ts';
import { failureTypes } from '../protocol/errors.ts';
import type { ToolSource } from '../protocol/tools/tool.ts';
import type { Activities } from '../protocol/activities.ts';
import type { Guard, TrustLevel } from '../trust/guard.ts';
import type { Backend, McpServer } from '../protocol/settings.ts';

/**
 * Programs, modules, addresses, keys and files must be of a configuration that the worker trusts, or be allowed to
 * anybody. Runs have shown as much when they began; this is for what asks the activities without that.
 * @throws (from the activities) `ApplicationFailure` of type `NotAllowed`
 */
export function authorized(activities: Activities, guard: Guard): Activities {
  const checkBackend = (given: Backend) => {
    const { seal, is_loops_temperature: _, ...backend } = given;
    return guard.check('backend', backend, seal);
  };

  /** Who asks an activity can make up a seal, by which it would use the worker's keys. */
  const sealed = <Part extends { seal?: string | undefined }>(part: Part, trust: TrustLevel): Part =>
    trust === 'sealed' ? part : { ...part, seal: undefined };

  async function checkedSource(source: ToolSource): Promise<ToolSource> {
    if (!('mcp' in source)) {
      await guard.check('package', source.package, source.seal);
      return source;
    }
    const { seal, ...server } = source.mcp;
    return { mcp: sealed(source.mcp, await guard.check('mcp', server, seal)) };
  }

  const checked: Partial<Activities> = {
    async callModel(input) {
      const backend = sealed(input.backend, await checkBackend(input.backend));
      return activities.callModel({ ...input, backend });
    },

    async listTools(input) {
      const { mcpServers, packages, seals } = input.sources;
      for (const name of packages) await checkedSource({ package: name, ...sealOf(name, seals) });
      const servers: typeof mcpServers = [];
      for (const { seal, ...server } of mcpServers)
        servers.push(sealed({ ...server, seal }, await guard.check('mcp', server, seal)));
      return activities.listTools({ ...input, sources: { ...input.sources, mcpServers: servers } });
    },

    async callTool(input) {
      const source = await checkedSource(input.tool.source);
      return activities.callTool({ ...input, tool: { ...input.tool, source } });
    },

    async search(input) {
      const { seal, ...settings } = input.search;
      await guard.check('search', settings, seal);
      return activities.search(input);
    },

    async openIssue(input) {
      const { labels, repo, seal } = input;
      await guard.check('issue', { repo, labels }, seal);
      return activities.openIssue(input);
    },

    async sendWebhook({ seal, ...entry }, notification) {
      const { workflowId } = notification.data;
      const parent = await parentOfPresent();
      if (parent !== workflowId) {
        const message = `A notification of the run ${workflowId} is not sent for what it has not started itself`;
        throw ApplicationFailure.nonRetryable(message, failureTypes.notAllowed);
      }
      const trust = await guard.check('notify', entry, seal, workflowId);
      // For an address that an input chose, the worker's secret signs nothing.
      return activities.sendWebhook(trust === 'sealed' ? { ...entry, seal } : entry, notification);
    },

    async storeAttachments(input) {
      await guard.check('attachments', input.attachments, input.seal);
      const { backend, ...rest } = input;
      // A recording is transcribed by the model's provider, with the key; not so at an address that an input chose.
      if (backend === undefined) return activities.storeAttachments(rest);
      const checkedBackend = sealed(backend, await checkBackend(backend));
      return activities.storeAttachments(
        mayHaveKeys(checkedBackend, guard) ? { ...rest, backend: checkedBackend } : rest,
      );
    },

    async importFolders(folders, seals) {
      for (const folder of folders) await guard.check('folder', folder, sealOf(folder, seals).seal);
      return activities.importFolders(folders);
    },

    async exportFiles(folder, part, exported, seal) {
      await guard.check('folder', folder, seal);
      return activities.exportFiles(folder, part, exported);
    },

    async findOrchestrator(file) {
      const problem = modulePathProblem(file);
      if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, failureTypes.invalidInput);
      return activities.findOrchestrator(file);
    },
  };
  return { ...activities, ...checked };
}

/** A name comes from outside, and may be that of what every object has. */
export function sealOf(name: string, seals: Record<string, string> = {}): { seal?: string } {
  const seal = Object.hasOwn(seals, name) ? seals[name] : undefined;
  return seal === undefined ? {} : { seal };
}

/** As the server has it: any input may name another. */
async function parentOfPresent(): Promise<string | undefined> {
  const { client, info } = Context.current();
  const { runId, workflowId = '' } = info.workflowExecution ?? {};
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  return raw.workflowExecutionInfo?.parentExecution?.workflowId ?? undefined;
}

/** Its seal has been checked. A backend without one is allowed for its address, which an input may have chosen. */
export const mayHaveKeys = (backend: Backend, { policy }: Guard): boolean =>
  backend.seal !== undefined || backend.type === 'offline' || policy.isOwnAddress(backend);

/** It gets the worker's variables and logins, see `mayHaveKeys`. */
export const isTrustedServer = ({ seal }: McpServer): boolean => seal !== undefined;
