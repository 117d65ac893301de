import { z } from 'zod';

const limit = z.int().min(1).default(10);

/** Settings of the loop `simple_tool` (xaibo's documentation, SimpleToolOrchestrator). */
export const simpleToolSchema = z.strictObject({
  system_prompt: z.string().default(''),
  /** Model calls in a turn; the last one gets no tools. */
  max_thoughts: limit,
  /** Whether the calls of one reply run side by side; their results keep the order of the calls. */
  parallel: z.boolean().default(false),
});

/** Settings of the loop `react` (the same, ReActOrchestrator). A prompt that is absent is Reprise's own. */
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

/** How an agent works: its loop with its settings. `module`: a user's own, relative to the extensions folder. */
export type OrchestratorSettings =
  | ({ kind: 'simple_tool' } & SimpleToolSettings)
  | ({ kind: 'react' } & ReActSettings)
  | { kind: 'custom'; module: string; config: Record<string, unknown> };
