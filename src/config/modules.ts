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

export interface CheckedModules {
  modules: Module[];
  problems: Problem[];
  /** Whether there are any and each has an id: if not, wires may lead to what only looks as if it were missing. */
  areNamed: boolean;
}

/** Checks each of a configuration's modules by itself, and that no two have one id. */
export function checkModules(list: unknown[]): CheckedModules {
  const problems: Problem[] = [];
  const modules = new Map<string, Module>();
  list.forEach((value, index) => {
    const path = ['modules', index];
    const { id, problems: own, ...module } = checkModule(value);
    problems.push(...under(path, own));
    if (id === undefined) return;
    if (id !== entry && !modules.has(id)) modules.set(id, { id, ...module });
    else problems.push({ path: [...path, 'id'], message: takenId(id) });
  });
  const areNamed = list.length > 0 && list.every((value) => idOf(value) !== undefined);
  return { modules: [...modules.values()], problems, areNamed };
}

const takenId = (id: string): string =>
  id === entry
    ? `"${entry}" is where the user's text comes in, and no id of a module`
    : `a second module of the id "${id}"`;

function idOf(value: unknown): string | undefined {
  const checked = z.looseObject({ id: moduleSchema.shape.id }).safeParse(value);
  return checked.success ? checked.data.id : undefined;
}

type Made = Omit<Module, 'id'> & { problems: Problem[] };

function checkModule(value: unknown): Made & { id: string | undefined } {
  const shape = moduleSchema.safeParse(value);
  if (shape.success) return { id: shape.data.id, ...makePart(shape.data.module, shape.data.config) };
  const problems = problemsOf(moduleSchema, shape.error, value);
  return { id: idOf(value), kind: '', provides: undefined, part: undefined, problems };
}

function makePart(module: string, config: unknown): Made {
  if (isModulePath(module)) {
    const problem = modulePathProblem(module);
    if (problem === undefined) return checkPart(module, customKind(module), config);
    return refused(module, 'TextMessageHandlerProtocol', problem);
  }
  const name = lastName(module);
  const kind = kindOf(module);
  if (kind !== undefined) return checkPart(name, kind, config);
  const valid = `valid modules: ${kindNames.join(', ')}, ./my-orchestrator.ts`;
  return refused(name, undefined, `there is no module "${name}";${didYouMean(name, kindNames)} ${valid}`);
}

const refused = (kind: string, provides: Protocol | undefined, message: string): Made => ({
  kind,
  provides,
  part: undefined,
  problems: [{ path: ['module'], message }],
});

function checkPart(kind: string, { provides, schema }: Kind, config: unknown): Made {
  const checked = schema.safeParse(config ?? {});
  if (checked.success) return { kind, provides, part: checked.data, problems: [] };
  const problems = under(['config'], problemsOf(schema, checked.error, config));
  return { kind, provides, part: undefined, problems };
}
