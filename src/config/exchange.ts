import { z } from 'zod';
import { protocols, type Protocol } from './module-kinds.ts';
import { entry, type Module } from './modules.ts';
import { didYouMean } from './did-you-mean.ts';
import { under, type Problem } from './problems.ts';

const id = z.string().min(1);

/** A wire of `exchange:`: what provides a protocol to a module. Tools may come from several modules. */
export const wireSchema = z.strictObject({
  module: id,
  protocol: z.enum(protocols),
  provider: z.union([id, z.array(id).min(1)], 'the id of a module, or a list of ids'),
});

/** A wire and its place in `exchange:`. */
export type Wire = z.output<typeof wireSchema> & { index: number };

const handler = 'TextMessageHandlerProtocol';

export const providersOf = ({ provider }: Wire): string[] => [provider].flat();

/** What is wrong with the wires between modules; what an agent lacks is not looked for. */
export function wireProblems(wires: Wire[], modules: Module[]): Problem[] {
  return wires.flatMap((wire) => {
    const problems = [
      ...consumerProblems(wire, modules),
      ...doubleProblems(wire, wires),
      ...providersOf(wire).flatMap((provider, number) =>
        providerProblems(wire, provider, modules).map((message) => ({
          path: typeof wire.provider === 'string' ? ['provider'] : ['provider', number],
          message,
        })),
      ),
    ];
    return under(['exchange', wire.index], problems);
  });
}

function consumerProblems({ module, protocol }: Wire, modules: Module[]): Problem[] {
  if (module === entry) {
    if (protocol === handler) return [];
    return [{ path: ['protocol'], message: `${entry} takes ${handler}, not ${protocol}` }];
  }
  const consumer = modules.find((each) => each.id === module);
  if (consumer === undefined) return [{ path: ['module'], message: unknownId(module, modules, [entry]) }];
  if (consumer.provides !== undefined && consumer.provides !== handler) {
    const message = `"${module}" (${consumer.kind}) uses no other module: only ${entry} and orchestrators are wired`;
    return [{ path: ['module'], message }];
  }
  if (protocol !== handler) return [];
  const used = protocols.filter((each) => each !== handler).join(', ');
  return [{ path: ['protocol'], message: `${handler} is for ${entry}; an orchestrator uses ${used}` }];
}

function doubleProblems(wire: Wire, wires: Wire[]): Problem[] {
  const first = wires.find(({ module, protocol }) => module === wire.module && protocol === wire.protocol);
  const providers = providersOf(wire);
  if (first !== undefined && first.index !== wire.index) {
    const several =
      wire.protocol === 'ToolProviderProtocol' ? '; one wire may list several: provider: [a, b]' : '';
    const message = `a second wire of "${wire.module}" for ${wire.protocol}: exchange[${first.index}] is the first${several}`;
    return [{ path: ['protocol'], message }];
  }
  if (providers.length === 1) return [];
  if (wire.module === entry)
    return [{ path: ['provider'], message: `${entry} takes one orchestrator, not ${providers.length}` }];
  if (wire.protocol !== 'ToolProviderProtocol')
    return [{ path: ['provider'], message: `${wire.protocol} takes one provider, not ${providers.length}` }];
  const twice = providers.find((each, index) => providers.indexOf(each) !== index);
  return twice === undefined ? [] : [{ path: ['provider'], message: `"${twice}" stands twice` }];
}

function providerProblems({ protocol }: Wire, provider: string, modules: Module[]): string[] {
  const found = modules.find((each) => each.id === provider);
  if (found === undefined) return [unknownId(provider, modules)];
  if (found.provides === undefined || found.provides === protocol) return [];
  return [
    `"${provider}" (${found.kind}) ${protocol === handler ? 'is no orchestrator' : `does not provide ${protocol}`}; ` +
      choices(protocol, modules),
  ];
}

function unknownId(wanted: string, modules: Module[], others: string[] = []): string {
  const ids = [...modules.map((each) => each.id), ...others];
  return `there is no module of the id "${wanted}";${didYouMean(wanted, ids)} valid ids: ${ids.join(', ')}`;
}

/** The modules that provide a protocol, in words. */
export function choices(protocol: Protocol, modules: Module[]): string {
  const ids = modules.filter(({ provides }) => provides === protocol).map((each) => each.id);
  return ids.length === 0 ? 'no module does' : `valid ids: ${ids.join(', ')}`;
}
