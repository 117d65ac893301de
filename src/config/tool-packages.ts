import { z } from 'zod';
import { isModulePath, modulePath, modulePathProblem } from './module-path.ts';

const dotted = /^[\w-]+(\.[\w-]+)*$/;

const toolPackageSchema = z
  .string()
  .superRefine((name, context) => {
    const message = problemOf(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .transform((name) => (isModulePath(name) ? modulePath(name) : name));

/** Names of tool modules, each once: `tools.weather` is `tools/weather.ts` in the extensions folder, or its path. */
export const toolPackagesSchema = z.array(toolPackageSchema).transform((names) => [...new Set(names)]);

function problemOf(name: string): string | undefined {
  if (isModulePath(name)) return modulePathProblem(name);
  if (dotted.test(name)) return undefined;
  return `${JSON.stringify(name)} is no name of a tool module: names joined by dots, as in tools.weather, or a path, as in ./tools/weather.ts`;
}
