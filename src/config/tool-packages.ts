import { z } from 'zod';

const dotted = /^[\w-]+(\.[\w-]+)*$/;

/** Names of tool modules, each once: `tools.weather` is `tools/weather.ts` in the extensions folder. */
export const toolPackagesSchema = z
  .array(
    z.string().superRefine((name, context) => {
      if (dotted.test(name)) return;
      const message = `${JSON.stringify(name)} is no name of a tool module: names joined by dots, as in tools.weather`;
      context.addIssue({ code: 'custom', message });
    }),
  )
  .transform((names) => [...new Set(names)]);
