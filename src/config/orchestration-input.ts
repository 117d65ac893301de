import { z } from 'zod';

const text = z.string().min(1);

/** A task stands in the history, where a payload over 2 MB fails its task. */
const maxTask = 1_000_000;

/** Input of the workflow `orchestration`, as it comes from anywhere. */
export const orchestrationInputSchema = z.strictObject({
  task: z.string().trim().min(1).max(maxTask),
  config: z.union([z.record(z.string(), z.unknown()), text]).optional(),
  history: z
    .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .default([]),
  humanQa: z.array(z.strictObject({ question: text, answer: text })).default([]),
});
