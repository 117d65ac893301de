import { z } from 'zod';
import { soloBroadcastSchema } from './broadcast.ts';
import { choices, providersOf, wireProblems, wireSchema, type Wire } from './exchange.ts';
import { checkModules, entry, type Module } from './modules.ts';
import type { Protocol } from './module-kinds.ts';
import type { OneAgentConfig } from './one-agent.ts';
import { problemsOf, under, type Checked, type Problem } from './problems.ts';
import { waitingTime } from './seconds.ts';
import { budgetSchema } from './team.ts';

const agentSchema = z.strictObject({
  // Modules and wires are looked at one by one: what is right among them shows what the others lack.
  modules: z.array(z.unknown()).min(1),
  exchange: z.array(z.unknown()),
  coordination: soloBroadcastSchema.prefault({}),
  budget: budgetSchema.optional(),
  idle_timeout: waitingTime.optional(),
});

/** Checks a configuration of `modules` and `exchange`, and wires it: all problems at once. */
export function checkAgent(content: object): Checked<OneAgentConfig> {
  const shape = agentSchema.safeParse(content);
  const { modules: moduleList, exchange } = content as Record<string, unknown>;
  const { modules, problems: ofModules, areNamed } = checkModules(listed(moduleList));
  const { wires, problems: ofWires } = checkWires(listed(exchange));
  const isWhole = areNamed && Array.isArray(exchange) && ofWires.length === 0;
  const problems = [
    ...(shape.success ? [] : problemsOf(agentSchema, shape.error, content)),
    ...ofModules,
    ...ofWires,
    ...(areNamed ? wireProblems(wires, modules) : []),
    ...(isWhole ? missingWires(wires, modules) : []),
  ];
  const agent = shape.success && problems.length === 0 ? wired(wires, modules) : undefined;
  if (!shape.success || agent === undefined) return { ok: false, problems };
  const { coordination, budget, idle_timeout } = shape.data;
  return { ok: true, value: { ...agent, coordination, budget, ...(idle_timeout && { idle_timeout }) } };
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function checkWires(list: unknown[]): { wires: Wire[]; problems: Problem[] } {
  const wires: Wire[] = [];
  const problems: Problem[] = [];
  list.forEach((value, index) => {
    const checked = wireSchema.safeParse(value);
    if (checked.success) wires.push({ ...checked.data, index });
    else problems.push(...under(['exchange', index], problemsOf(wireSchema, checked.error, value)));
  });
  return { wires, problems };
}

const wireOf = (wires: Wire[], module: string, protocol: Protocol): Wire | undefined =>
  wires.find((wire) => wire.module === module && wire.protocol === protocol);

function missingWires(wires: Wire[], modules: Module[]): Problem[] {
  const start = wireOf(wires, entry, 'TextMessageHandlerProtocol');
  if (start === undefined) return [missing(entry, 'TextMessageHandlerProtocol', modules)];
  return providersOf(start)
    .filter((id) => modules.some((each) => each.id === id && each.provides === 'TextMessageHandlerProtocol'))
    .filter((id) => wireOf(wires, id, 'LLMProtocol') === undefined)
    .map((id) => missing(id, 'LLMProtocol', modules));
}

function missing(module: string, protocol: Protocol, modules: Module[]): Problem {
  const wire = `{module: ${module}, protocol: ${protocol}, provider: …}`;
  return { path: ['exchange'], message: `${wire} is missing; ${choices(protocol, modules)}` };
}

/** What the wires that start at the entry come to. Undefined only where there are problems. */
function wired(wires: Wire[], modules: Module[]) {
  const [id = ''] = providersAt(wires, entry, 'TextMessageHandlerProtocol');
  const [llm = ''] = providersAt(wires, id, 'LLMProtocol');
  const parts = new Map(modules.map((each) => [each.id, each.part]));
  const orchestrator = parts.get(id);
  const model = parts.get(llm);
  if (orchestrator?.provides !== 'TextMessageHandlerProtocol' || model?.provides !== 'LLMProtocol')
    return undefined;
  const used = new Set([id, ...wires.filter(({ module }) => module === id).flatMap(providersOf)]);
  const sources = providersAt(wires, id, 'ToolProviderProtocol').flatMap((each) => {
    const part = parts.get(each);
    return part?.provides === 'ToolProviderProtocol' ? [part.tools] : [];
  });
  return {
    id,
    backend: model.backend,
    orchestrator: orchestrator.orchestrator,
    tools: {
      packages: [...new Set(sources.flatMap(({ packages }) => packages))],
      mcpServers: [...sources.flatMap(({ mcpServers }) => mcpServers), ...(model.backend.mcp_servers ?? [])],
    },
    unused: modules.map((each) => each.id).filter((each) => !used.has(each)),
  };
}

function providersAt(wires: Wire[], module: string, protocol: Protocol): string[] {
  const wire = wireOf(wires, module, protocol);
  return wire === undefined ? [] : providersOf(wire);
}
