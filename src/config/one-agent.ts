import { z } from 'zod';
import { completeBackend, defaultBackend, describeBackend, packagesOf } from './models/complete-backend.ts';
import { broadcastSchema, describeCoordination, sessionShape, soloShape } from './coordination.ts';
import type { Environment } from '../util/environment.ts';
import { checkExchange, providersOf, type Wire, type WireInput } from './exchange.ts';
import { notice, type ConfigKind } from './kind.ts';
import { checkModules, entry, type Module, type ModuleInput } from './modules.ts';
import { describeOrchestrator, orchestratorOf } from './orchestrators.ts';
import { describePermissions } from './tools/permissions.ts';
import { checkedBy, type Checked } from './problems.ts';
import { describeTools } from './tool-sources.ts';
import type { OneAgent } from '../protocol/settings.ts';

const agentSchema = z.strictObject({
  // Modules and wires are checked one by one, since the good ones are needed to say what the bad ones lack.
  modules: z.array(z.unknown()).min(1),
  exchange: z.array(z.unknown()),
  ...soloShape,
  ...sessionShape,
});

/** As a file's author writes it: keys with defaults may be left out. */
export interface OneAgentConfigInput extends Omit<z.input<typeof agentSchema>, 'modules' | 'exchange'> {
  modules: ModuleInput[];
  exchange: WireInput[];
}

export interface OneAgentConfig extends OneAgent {
  /** Ids of the modules that no wire from the entry leads to. */
  unused: string[];
}

function checkAgent(content: object): Checked<OneAgentConfig> {
  const shape = checkedBy(agentSchema, content);
  const { modules: list, exchange } = content as Record<string, unknown>;
  const { modules, problems: ofModules, areNamed } = checkModules(Array.isArray(list) ? list : []);
  const { wires, problems: ofWires } = checkExchange(exchange, areNamed ? modules : undefined);
  const problems = [...(shape.ok ? [] : shape.problems), ...ofModules, ...ofWires];
  const agent = problems.length === 0 ? wired(wires, modules) : undefined;
  if (!shape.ok || agent === undefined) return { ok: false, problems };
  const { modules: _, exchange: __, ...common } = shape.value;
  return { ok: true, value: { ...agent, ...common } };
}

/** The agent that the wires from the entry make. Undefined only if there are problems. */
function wired(wires: Wire[], modules: Module[]) {
  const [id = ''] = providersOf(entry, 'TextMessageHandlerProtocol', wires) ?? [];
  const [llm = ''] = providersOf(id, 'LLMProtocol', wires) ?? [];
  const partOf = (wanted: string) => modules.find((each) => each.id === wanted)?.part;
  const orchestrator = partOf(id)?.orchestrator;
  const backend = partOf(llm)?.backend;
  if (orchestrator === undefined || backend === undefined) return undefined;
  const providers = providersOf(id, 'ToolProviderProtocol', wires) ?? [];
  const sources = providers.flatMap((each) => partOf(each)?.tools ?? []);
  const packages = [...new Set(sources.flatMap((tools) => tools.packages))];
  const mcpServers = [...sources.flatMap((tools) => tools.mcpServers), ...(backend.mcp_servers ?? [])];
  const used = [id, ...wires.filter(({ module }) => module === id).flatMap(({ providers }) => providers)];
  const unused = modules.map((each) => each.id).filter((each) => !used.includes(each));
  return { id, backend, orchestrator, tools: { packages, mcpServers }, unused };
}

/** The agent of a session without a configuration. It has the default backend, no system prompt and no tools. */
export const defaultAgent = (environment: Environment): OneAgent => ({
  id: 'agent',
  backend: completeBackend(defaultBackend(environment)),
  orchestrator: orchestratorOf('simple_tool'),
  tools: { packages: [], mcpServers: [] },
  coordination: broadcastSchema.parse({}),
});

export function completeAgent(config: OneAgentConfig): OneAgent {
  const { unused: _, ...agent } = config;
  const { packages, mcpServers } = agent.tools;
  const tools = { packages: packagesOf(packages, agent.backend), mcpServers };
  return { ...agent, backend: completeBackend(agent.backend), tools };
}

export function describeAgent(agent: OneAgent): string {
  const { id, backend, orchestrator, tools, coordination, budget, idle_timeout } = agent;
  const sources = describeTools(tools);
  return [
    `One agent (${id}):`,
    `  backend: ${describeBackend(backend)}`,
    `  orchestrator: ${describeOrchestrator(orchestrator)}`,
    `  tools: ${sources === '' ? 'none' : `${sources} (loaded by the worker)`}`,
    ...describeCoordination(coordination, budget, idle_timeout),
    ...describePermissions(agent),
  ].join('\n');
}

export const agentKind: ConfigKind<OneAgentConfig, OneAgent> = {
  title: 'One agent',
  description: 'For `reprise chat`: modules are its parts, and exchange connects them.',
  keys: ['modules', 'exchange'],
  check: checkAgent,
  complete: completeAgent,
  roles: ({ id, backend, orchestrator, tools }) => ({ [`agent ${id}`]: { backend, orchestrator, tools } }),
  describe: describeAgent,
  named: ({ backend }) => [backend],
  inert: ({ backend, unused }) => [
    ...notice([backend]),
    ...(unused.length === 0 ? [] : [`Modules that nobody is wired to: ${unused.join(', ')}`]),
  ],
};
