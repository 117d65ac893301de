import { z } from 'zod';
import { isModulePath, modulePath, modulePathProblem } from './extensions.ts';
import { didYouMean } from './problems.ts';

const limit = z.int().min(1).default(10);

/** Settings of the loop `simple_tool` (xaibo's documentation, SimpleToolOrchestrator). */
export const simpleToolSchema = z.strictObject({
  system_prompt: z.string().default(''),
  /** The most model calls in a turn. The last one gets no tools. */
  max_thoughts: limit,
  /** Whether the tool calls of one reply run at the same time. Their results keep the order of the calls. */
  parallel: z.boolean().default(false),
});

/** Settings of the loop `react` (xaibo's documentation, ReActOrchestrator). Absent prompts default to Reprise's own. */
export const reactSchema = z.strictObject({
  system_prompt: z.string().optional(),
  thought_prompt: z.string().optional(),
  action_prompt: z.string().optional(),
  observation_prompt: z.string().optional(),
  error_prompt: z.string().optional(),
  max_iterations_prompt: z.string().optional(),
  max_iterations: limit,
  show_reasoning: z.boolean().default(true),
  reasoning_temperature: z.number().min(0).max(2).default(0.7),
});

export type SimpleToolSettings = z.output<typeof simpleToolSchema>;
export type ReActSettings = z.output<typeof reactSchema>;

/** An agent's loop with its settings. `module` is the path of a user's own loop in the extensions folder: `./mine.ts`. */
export type OrchestratorSettings =
  | ({ kind: 'simple_tool' } & SimpleToolSettings)
  | ({ kind: 'react' } & ReActSettings)
  | { kind: 'custom'; module: string; config: Record<string, unknown> };

const names = ['simple_tool', 'react'];

/** An agent's `orchestrator:`, which names a loop. */
export const orchestratorSchema = z.string().superRefine((name, context) => {
  if (names.includes(name)) return;
  const choices = `${names.join(' | ')} | ./my-orchestrator.ts${didYouMean(name, names).replace(/^ /, '; ')}`;
  const message = isModulePath(name) ? modulePathProblem(name) : `${JSON.stringify(name)} is not one of ${choices}`;
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** The loop that a name stands for, with its default settings. */
export function orchestratorOf(name: string): OrchestratorSettings {
  if (name === 'simple_tool') return { kind: 'simple_tool', ...simpleToolSchema.parse({}) };
  if (name === 'react') return { kind: 'react', ...reactSchema.parse({}) };
  return { kind: 'custom', module: modulePath(name), config: {} };
}

/** Describes a loop and its limits in one line. */
export function describeOrchestrator(settings: OrchestratorSettings): string {
  if (settings.kind === 'custom') return `${settings.module} (loaded by the worker)`;
  if (settings.kind === 'simple_tool') {
    const parallel = settings.parallel ? ', tools side by side' : '';
    return `simple_tool, up to ${settings.max_thoughts} model calls a turn${parallel}`;
  }
  const { max_iterations, show_reasoning, reasoning_temperature } = settings;
  const shown = show_reasoning ? 'shown' : 'not shown';
  return `react, up to ${max_iterations} cycles a turn, reasoning ${shown}, at temperature ${reasoning_temperature}`;
}
