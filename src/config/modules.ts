import { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';
import {
  customKind,
  kindNames,
  kindOf,
  lastName,
  type Kind,
  type Part,
  type Protocol,
} from './module-kinds.ts';
import { isModulePath, modulePathProblem } from './module-path.ts';
import { problemsOf, under, type Problem } from './problems.ts';

/** Where the user's text comes in: it stands in wires, and is no module. */
export const entry = '__entry__';

const moduleSchema = z.strictObject({
  module: z.string().min(1),
  id: z.string().min(1),
  config: z.unknown().optional(),
});

/** A module as its wires see it. */
export interface Module {
  id: string;
  /** As problems name it: `OpenAILLM`, `./mine.ts`. */
  kind: string;
  /** Undefined where its kind is not known. */
  provides: Protocol | undefined;
  /** Undefined where something is wrong with it. */
  part: Part | undefined;
}

/** Checks each of a configuration's modules by itself, and that no two have one id. */
export function checkModules(list: unknown[]): { modules: Module[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const modules = new Map<string, Module>();
  list.forEach((value, index) => {
    const path = ['modules', index];
    const shape = moduleSchema.safeParse(value);
    if (!shape.success) {
      problems.push(...under(path, problemsOf(moduleSchema, shape.error, value)));
      return;
    }
    const { id, module, config } = shape.data;
    const idProblem =
      id === entry
        ? `"${entry}" is where the user's text comes in, and no id of a module`
        : `a second module of the id "${id}"`;
    if (id === entry || modules.has(id)) problems.push({ path: [...path, 'id'], message: idProblem });
    const made = makePart(module, config);
    problems.push(...under(path, made.problems));
    if (id !== entry && !modules.has(id)) modules.set(id, { id, ...made });
  });
  return { modules: [...modules.values()], problems };
}

function makePart(module: string, config: unknown): Omit<Module, 'id'> & { problems: Problem[] } {
  const isPath = isModulePath(module);
  const name = isPath ? module : lastName(module);
  const problem = isPath ? modulePathProblem(module) : kindProblem(module);
  const kind = isPath ? customKind(module) : kindOf(module);
  const outline = { kind: name, provides: kind?.provides };
  if (problem !== undefined || kind === undefined)
    return { ...outline, part: undefined, problems: [{ path: ['module'], message: problem ?? '' }] };
  return { ...outline, ...checkPart(kind, config) };
}

function kindProblem(module: string): string | undefined {
  if (kindOf(module) !== undefined) return undefined;
  const name = lastName(module);
  return `there is no module "${name}";${didYouMean(name, kindNames)} valid modules: ${kindNames.join(', ')}, ./my-orchestrator.ts`;
}

function checkPart({ schema }: Kind, config: unknown): Pick<Module, 'part'> & { problems: Problem[] } {
  const checked = schema.safeParse(config ?? {});
  if (checked.success) return { part: checked.data, problems: [] };
  return { part: undefined, problems: under(['config'], problemsOf(schema, checked.error, config)) };
}
