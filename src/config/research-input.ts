import { z } from 'zod';

/** An idea stands in every plan and report. */
const maxIdea = 100_000;

/** Input of the workflow `research`, as it comes from anywhere. */
export const researchInputSchema = z.strictObject({
  idea: z.string().trim().min(1).max(maxIdea),
  config: z.union([z.record(z.string(), z.unknown()), z.string().min(1)]).optional(),
});
