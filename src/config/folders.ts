import { resolve } from 'node:path';
import { kindOf } from './module-kinds.ts';

type Mapping = Record<string, unknown>;

const mapping = (value: unknown): Mapping =>
  (typeof value === 'object' && value !== null ? value : {}) as Mapping;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Makes the relative `folder:` of each backend, and of a search, in a configuration's content absolute, in place; what has another
 * shape than that of a configuration is left as it is, for its check to say so.
 */
export function resolveFolders(content: unknown, base: string): unknown {
  const { agents, final_agent, modules, plan, research } = mapping(content);
  const { search, ...roles } = mapping(research);
  const planning = mapping(plan);
  for (const backend of [
    search,
    roles['backend'],
    ...['plan', 'criticism', 'synthesize'].map((role) => mapping(roles[role])['backend']),
    planning['backend'],
    ...['planner', 'validator', 'synthesis', 'executor'].map((role) => mapping(planning[role])['backend']),
    ...list(agents).map((agent) => mapping(agent)['backend']),
    mapping(final_agent)['backend'],
    ...list(modules)
      .map(mapping)
      .filter(isModel)
      .map(({ config }) => config),
  ]) {
    const { folder } = mapping(backend);
    if (typeof folder === 'string' && folder !== '') mapping(backend)['folder'] = resolve(base, folder);
  }
  return content;
}

/** What a `folder` in the configuration of another module means is that module's to say. */
const isModel = ({ module }: Mapping): boolean =>
  typeof module === 'string' && kindOf(module)?.provides === 'LLMProtocol';
