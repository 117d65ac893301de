import { z } from 'zod';

const text = z.string().min(1);

/** A problem stands in the history, where a payload over 2 MB fails its task. */
const maxProblem = 1_000_000;

const attachmentSchema = z.union(
  [
    text,
    z.strictObject({ path: text, name: text.optional() }),
    z.strictObject({ name: text, data: z.string() }),
  ],
  { error: 'a path, {path, name?}, or {name, data} with the content in base64' },
);

/** Input of the workflow `planAndExecute`, as it comes from anywhere. */
export const solveInputSchema = z.strictObject({
  problem: z.string().trim().min(1).max(maxProblem),
  attachments: z.array(attachmentSchema).default([]),
  config: z.union([z.record(z.string(), z.unknown()), text]).optional(),
});
