import { z } from 'zod';
import { orchestrationInputSchema } from './orchestration-input.ts';

/** Input of the workflow `session`, as it comes from anywhere. */
export const sessionInputSchema = orchestrationInputSchema.pick({ config: true, history: true }).extend({
  text: orchestrationInputSchema.shape.task.optional(),
  // What the session's run before hands over: our own, see `workflows/session.ts`.
  earlier: z.record(z.string(), z.unknown()).optional(),
});
