import { z } from 'zod';

// Inputs of the workflows, as they come from anywhere.

const text = z.string().min(1);
const mapping = z.record(z.string(), z.unknown());

/** A configuration, or the name of a file in the worker's configuration folder. */
const config = z.union([mapping, text]).optional();

/** Tasks and problems stand in the history, where a payload over 2 MB fails its task. */
const task = z.string().trim().min(1).max(1_000_000);

const history = z
  .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
  .default([]);

const attachment = z.union(
  [text, z.strictObject({ path: text, name: text.optional() }), z.strictObject({ name: text, data: z.string() })],
  { error: 'a path, {path, name?}, or {name, data} with the content in base64' },
);

export const orchestrationInputSchema = z.strictObject({
  task,
  config,
  history,
  humanQa: z.array(z.strictObject({ question: text, answer: text })).default([]),
});

export const sessionInputSchema = z.strictObject({
  config,
  history,
  text: task.optional(),
  /** What the session's run before hands over; for the workflow itself to read. */
  earlier: mapping.optional(),
});

/** An idea stands in every plan and report. */
export const researchInputSchema = z.strictObject({ idea: z.string().trim().min(1).max(100_000), config });

export const solveInputSchema = z.strictObject({
  problem: task,
  attachments: z.array(attachment).default([]),
  config,
});
