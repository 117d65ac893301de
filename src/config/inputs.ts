import { z } from 'zod';

// Schemas of the inputs of workflows, which the library, a command or the Temporal CLI may send.

const text = z.string().min(1);
const mapping = z.record(z.string(), z.unknown());

/** A configuration, or the name of one in the worker's configuration folder. */
const config = z.union([mapping, text]).optional();

/** Of whoever trusts the worker's home with the input (trust/signature.ts). */
const signature = text.optional();

/** Tasks and problems are kept in the history, where a payload over 2 MB makes its workflow task fail. */
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
  signature,
});

export const sessionInputSchema = z.strictObject({
  config,
  history,
  text: task.optional(),
  /** What the session's previous run passes on. Only the workflow itself reads it. */
  earlier: mapping.optional(),
  signature,
});

/** An idea is shorter than a task, since every plan and every report repeats it. */
export const researchInputSchema = z.strictObject({ idea: z.string().trim().min(1).max(100_000), config, signature });

export const solveInputSchema = z.strictObject({
  problem: task,
  attachments: z.array(attachment).default([]),
  config,
  signature,
});
