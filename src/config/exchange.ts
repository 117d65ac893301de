import { z } from 'zod';
import { entry, protocols, type Module, type Protocol } from './modules.ts';
import { safe } from './privileges.ts';
import { checkedBy, didYouMean, under, type Problem } from './problems.ts';

const id = z.string().min(1);

/** A wire of `exchange:` says which modules provide a protocol to a module. Only tools may come from several modules. */
export const wireSchema = z.strictObject({
  module: id.meta(safe(`The id of the module that uses it, or ${entry}, where the user's text comes in.`)),
  protocol: z.enum(protocols).meta(safe('What it uses.')),
  provider: z
    .union([id, z.array(id).min(1)], 'the id of a module, or a list of ids')
    .meta(safe('The id of the module that provides it; of tools, a list of ids.')),
});

export type WireInput = z.input<typeof wireSchema>;

/** A wire with its providers as a list and its place in `exchange:`. */
export type Wire = z.output<typeof wireSchema> & { providers: string[]; index: number };

const handler = 'TextMessageHandlerProtocol';

/**
 * Checks each wire by itself and against the modules, and whether an agent lacks one. @param modules undefined unless each has
 * an id: a wire to a module without one would look as if it led nowhere
 */
export function checkExchange(list: unknown, modules: Module[] | undefined) {
  const wires: Wire[] = [];
  const problems: Problem[] = [];
  for (const [index, value] of (Array.isArray(list) ? list : []).entries()) {
    const checked = checkedBy(wireSchema, value);
    if (checked.ok) wires.push({ ...checked.value, providers: [checked.value.provider].flat(), index });
    else problems.push(...under(['exchange', index], checked.problems));
  }
  const isWhole = Array.isArray(list) && problems.length === 0;
  if (modules !== undefined) {
    problems.push(...wires.flatMap((wire) => wireProblems(wire, wires, modules)));
    if (isWhole) problems.push(...missingWires(wires, modules));
  }
  return { wires, problems };
}

/** Undefined if there is no such wire. */
export const providersOf = (module: string, protocol: Protocol, wires: Wire[]): string[] | undefined =>
  wires.find((wire) => wire.module === module && wire.protocol === protocol)?.providers;

/** An agent needs a wire from the entry to its orchestrator, and one from that to its model. */
function missingWires(wires: Wire[], modules: Module[]): Problem[] {
  const first = providersOf(entry, handler, wires);
  if (first === undefined) return [missing(entry, handler, modules)];
  return first
    .filter((id) => modules.some((each) => each.id === id && each.provides === handler))
    .filter((id) => providersOf(id, 'LLMProtocol', wires) === undefined)
    .map((id) => missing(id, 'LLMProtocol', modules));
}

function missing(module: string, protocol: Protocol, modules: Module[]): Problem {
  const wire = `{module: ${module}, protocol: ${protocol}, provider: …}`;
  return { path: ['exchange'], message: `${wire} is missing; ${choices(protocol, modules)}` };
}

function wireProblems(wire: Wire, wires: Wire[], modules: Module[]): Problem[] {
  const ofProviders = wire.providers.flatMap((_, place) => providerProblems(wire, place, modules));
  const problems = [...consumerProblems(wire, modules), ...doubleProblems(wire, wires), ...ofProviders];
  return under(['exchange', wire.index], problems);
}

const wrong = (key: keyof WireInput, message: string): Problem[] => [{ path: [key], message }];

function consumerProblems({ module, protocol }: Wire, modules: Module[]): Problem[] {
  if (module === entry)
    return protocol === handler ? [] : wrong('protocol', `${entry} takes ${handler}, not ${protocol}`);
  const consumer = modules.find((each) => each.id === module);
  if (consumer === undefined) return wrong('module', unknownId(module, modules, [entry]));
  if (consumer.provides !== undefined && consumer.provides !== handler) {
    const who = `"${module}" (${consumer.kind})`;
    return wrong('module', `${who} uses no other module: only ${entry} and orchestrators are wired`);
  }
  if (protocol !== handler) return [];
  const used = protocols.filter((each) => each !== handler).join(', ');
  return wrong('protocol', `${handler} is for ${entry}; an orchestrator uses ${used}`);
}

function doubleProblems({ module, protocol, providers, index }: Wire, wires: Wire[]): Problem[] {
  const takesSeveral = protocol === 'ToolProviderProtocol';
  const first = wires.find((wire) => wire.module === module && wire.protocol === protocol);
  if (first !== undefined && first.index !== index) {
    const several = takesSeveral ? '; one wire may list several: provider: [a, b]' : '';
    const where = `exchange[${first.index}] is the first${several}`;
    return wrong('protocol', `a second wire of "${module}" for ${protocol}: ${where}`);
  }
  if (providers.length === 1) return [];
  if (module === entry) return wrong('provider', `${entry} takes one orchestrator, not ${providers.length}`);
  if (!takesSeveral) return wrong('provider', `${protocol} takes one provider, not ${providers.length}`);
  const twice = providers.find((each, place) => providers.indexOf(each) !== place);
  return twice === undefined ? [] : wrong('provider', `"${twice}" stands twice`);
}

function providerProblems(wire: Wire, place: number, modules: Module[]): Problem[] {
  const { protocol, provider, providers } = wire;
  const path = typeof provider === 'string' ? ['provider'] : ['provider', place];
  const id = providers[place] ?? '';
  const found = modules.find((each) => each.id === id);
  if (found === undefined) return [{ path, message: unknownId(id, modules) }];
  if (found.provides === undefined || found.provides === protocol) return [];
  const lack = protocol === handler ? 'is no orchestrator' : `does not provide ${protocol}`;
  return [{ path, message: `"${id}" (${found.kind}) ${lack}; ${choices(protocol, modules)}` }];
}

function unknownId(wanted: string, modules: Module[], others: string[] = []): string {
  const ids = [...modules.map((each) => each.id), ...others];
  return `there is no module of the id "${wanted}";${didYouMean(wanted, ids)} valid ids: ${ids.join(', ')}`;
}

function choices(protocol: Protocol, modules: Module[]): string {
  const ids = modules.filter(({ provides }) => provides === protocol).map((each) => each.id);
  return ids.length === 0 ? 'no module does' : `valid ids: ${ids.join(', ')}`;
}
