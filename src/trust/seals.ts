import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../protocol/errors.ts';
import type { Prepared } from '../protocol/orchestration.ts';
import { violationText, type Guard } from './guard.ts';
import { violations } from './violations.ts';
import { partSchemas, type PartName } from './schemas.ts';
import type { Backend, NotifyEntry, Team, ToolSources } from '../protocol/settings.ts';

export type Seals = ReturnType<typeof sealsFor>;

/**
 * Seals what a prepared run passes on to activities.
 *
 * @param isTrusted whether the configuration is the worker's own, or signed; what any other one brings gets no seals
 * @throws (from what it makes) `ApplicationFailure` of type `InvalidInput` for what is neither trusted nor allowed
 */
export function sealsFor(guard: Guard, isTrusted: boolean) {
  /** What whoever prepares has missed, who names the keys of the input, ends here. */
  const sealOf = async (part: PartName, value: unknown): Promise<{ seal?: string }> => {
    if (isTrusted) {
      const seal = await guard.seal(part, value);
      return seal === undefined ? {} : { seal };
    }
    const refused = violations(partSchemas[part], value, guard.policy, [part]);
    if (refused.length === 0) return {};
    const text = refused.map((each) => violationText(each)).join('\n');
    throw ApplicationFailure.nonRetryable(text, failureTypes.invalidInput);
  };
  /** The same mapping with its seal, if it reaches anything. */
  const mapping = async <T extends object>(part: PartName, value: T): Promise<T> => ({
    ...value,
    ...(await sealOf(part, value)),
  });
  const sealsOf = async (part: PartName, values: string[]): Promise<Record<string, string>> => {
    const seals: Array<[string, string]> = [];
    for (const value of values) {
      const { seal } = await sealOf(part, value);
      if (seal !== undefined) seals.push([value, seal]);
    }
    return Object.fromEntries(seals);
  };
  const backend = (value: Backend): Promise<Backend> => mapping('backend', value);
  const tools = async ({ mcpServers, packages }: ToolSources): Promise<ToolSources> => {
    const seals = await sealsOf('package', packages);
    const servers = [];
    for (const server of mcpServers) servers.push(await mapping('mcp', server));
    return { packages, mcpServers: servers, ...(Object.keys(seals).length > 0 && { seals }) };
  };
  return {
    backend,
    async backends<Role extends string>(given: Record<Role, Backend>): Promise<Record<Role, Backend>> {
      const all: Array<[string, Backend]> = [];
      for (const [role, value] of Object.entries<Backend>(given)) all.push([role, await backend(value)]);
      return Object.fromEntries(all) as Record<Role, Backend>;
    },
    tools,
    async team(team: Team): Promise<Team> {
      const agents: Team['agents'] = [];
      for (const agent of team.agents)
        agents.push({ ...agent, backend: await backend(agent.backend), tools: await tools(agent.tools) });
      const { backend: presents, judge } = team.final_agent ?? {};
      const { snapshot_storage: storage } = team.orchestrator;
      const { seal: snapshotSeal } = storage === undefined ? {} : await sealOf('folder', storage);
      return {
        ...team,
        agents,
        ...(team.final_agent && {
          final_agent: {
            ...(presents && { backend: await backend(presents) }),
            ...(judge && { judge: { backend: await backend(judge.backend) } }),
          },
        }),
        ...(snapshotSeal !== undefined && { snapshotSeal }),
      };
    },
    mapping,
    /** Those who are told of a run: the worker's own entries, and those of the configuration. */
    async notify(entries: NotifyEntry[] = [], ofWorker: NotifyEntry[]): Promise<Pick<Prepared, 'notify'>> {
      const notify: NotifyEntry[] = [];
      for (const entry of ofWorker) notify.push({ ...entry, seal: await guard.seal('notify', entry) });
      for (const entry of entries) notify.push(await mapping('notify', entry));
      return notify.length === 0 ? {} : { notify };
    },
    async folders({ folders = {} }: Pick<Prepared, 'folders'>): Promise<Pick<Prepared, 'folders' | 'folderSeals'>> {
      const names = [...new Set(Object.values(folders))];
      if (names.length === 0) return {};
      const folderSeals = await sealsOf('folder', names);
      return { folders, ...(Object.keys(folderSeals).length > 0 && { folderSeals }) };
    },
  };
}
