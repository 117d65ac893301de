import { z } from 'zod';
import { temperature, whole } from './coordination.ts';
import { isModulePath, modulePath, modulePathPattern, modulePathProblem } from './extensions.ts';
import { didYouMean } from './problems.ts';
import { guarded, safe } from './privileges.ts';
import type { OrchestratorSettings } from '../protocol/settings.ts';

/** The limit of xaibo's modules, and that of an agent that no module describes. */
const limit = whole(1).default(10);
const defaultLimit = 60;

/** Settings of the loop `simple_tool` (xaibo's documentation, SimpleToolOrchestrator). */
export const simpleToolSchema = z.strictObject({
  system_prompt: z.string().default('').meta(safe('What the agent is told first.')),
  max_thoughts: limit.meta(safe('The most model calls in a turn. The last one gets no tools.')),
  parallel: z
    .boolean()
    .default(false)
    .meta(safe('Whether the tool calls of one reply run at the same time. Their results keep the order of the calls.')),
});

/** Settings of the loop `react` (xaibo's documentation, ReActOrchestrator). Absent prompts default to Reprise's own. */
export const reactSchema = z.strictObject({
  system_prompt: z.string().optional().meta(safe('What the agent is told first.')),
  thought_prompt: z.string().optional().meta(safe('What asks for a thought.')),
  action_prompt: z.string().optional().meta(safe('What asks for an action.')),
  observation_prompt: z.string().optional().meta(safe('What asks for an observation.')),
  error_prompt: z.string().optional().meta(safe('What tells the model of an error; {error} stands for its text.')),
  max_iterations_prompt: z
    .string()
    .optional()
    .meta(safe('What tells the model that all cycles are used; {max_iterations} stands for their number.')),
  max_iterations: limit.meta(safe('The most cycles of thought, action and observation in a turn.')),
  show_reasoning: z.boolean().default(true).meta(safe('Whether the user sees the steps.')),
  reasoning_temperature: temperature.default(0.7).meta(safe('The temperature of thoughts and observations.')),
});

const names = ['simple_tool', 'react'];

export const orchestratorSchema = z
  .string()
  .superRefine((name, context) => {
    if (names.includes(name)) return;
    const choices = `${names.join(' | ')} | ./my-orchestrator.ts${didYouMean(name, names).replace(/^ /, '; ')}`;
    const message = isModulePath(name) ? modulePathProblem(name) : `${JSON.stringify(name)} is not one of ${choices}`;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ ...guarded('modulePath'), anyOf: [{ enum: names }, { pattern: `^${modulePathPattern}$` }] });

/** The keys beside `orchestrator:` that limit the loop which it names. A schema with them is refined by `limitsFit`. */
export const limitsShape = {
  max_thoughts: whole(1).optional().meta(safe('Of simple_tool: the most model calls in a turn. Absent: 60.')),
  max_iterations: whole(1).optional().meta(safe('Of react: the most cycles in a turn. Absent: 60.')),
};

type Limits = { [Key in keyof typeof limitsShape]?: number | undefined };

const loopOfLimit = { max_thoughts: 'simple_tool', max_iterations: 'react' } as const;

export function limitsFit(
  { orchestrator = 'simple_tool', ...limits }: Limits & { orchestrator?: string | undefined },
  context: z.RefinementCtx,
): void {
  for (const [key, loop] of Object.entries(loopOfLimit)) {
    if (limits[key as keyof Limits] === undefined || orchestrator === loop) continue;
    const [own] = Object.entries(loopOfLimit).find(([, each]) => each === orchestrator) ?? [];
    const advice =
      own === undefined ? 'an orchestrator of your own sets its own limits' : `that of ${orchestrator} is ${own}`;
    context.addIssue({ code: 'custom', path: [key], message: `is a limit of the loop ${loop}; ${advice}` });
  }
}

/** The loop that a name stands for, with its default settings and these limits. */
export function orchestratorOf(name: string, limits: Limits = {}): OrchestratorSettings {
  const { max_thoughts = defaultLimit, max_iterations = defaultLimit } = limits;
  if (name === 'simple_tool') return { kind: 'simple_tool', ...simpleToolSchema.parse({ max_thoughts }) };
  if (name === 'react') return { kind: 'react', ...reactSchema.parse({ max_iterations }) };
  return { kind: 'custom', module: modulePath(name), config: {} };
}

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
