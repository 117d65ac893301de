import { z } from 'zod';
import { guarded, safe } from './privileges.ts';

// Schemas of the inputs of workflows, which the library, a command or the Temporal CLI may send.

const text = z.string().min(1);
const mapping = z.record(z.string(), z.unknown());

/** A configuration, or the name of one in the worker's configuration folder. */
const config = z
  .union([mapping, text], { error: 'a configuration as an object, or the name of its file' })
  .optional()
  .meta(guarded('configuration'));

/** Of whoever trusts the worker's home with the input (trust/signature.ts). */
const signature = text.optional().meta(safe());

/** Tasks and problems are kept in the history, where a payload over 2 MB makes its workflow task fail. */
const task = z.string().trim().min(1).max(1_000_000).meta(safe());

const history = z
  .array(
    z.strictObject({
      role: z.enum(['system', 'user', 'assistant']).meta(safe()),
      content: z.string().meta(safe()),
    }),
  )
  .default([]);

/** What it reaches is said of the whole, since it may be a mere path. */
const attachment = z
  .union(
    [text, z.strictObject({ path: text, name: text.optional() }), z.strictObject({ name: text, data: z.string() })],
    { error: 'a path, {path, name?}, or {name, data} with the content in base64' },
  )
  .meta(guarded('attachment'));

const attachments = z.array(attachment).default([]);

export const orchestrationInputSchema = z.strictObject({
  task,
  attachments,
  config,
  history,
  humanQa: z.array(z.strictObject({ question: text.meta(safe()), answer: text.meta(safe()) })).default([]),
  signature,
});

export const sessionInputSchema = z.strictObject({
  attachments,
  config,
  history,
  text: task.optional(),
  /** What the session's previous run passes on. Only the workflow itself reads it. */
  earlier: mapping.optional().meta(guarded('earlier')),
  signature,
});

/** An idea is shorter than a task, since every plan and every report repeats it. */
export const researchInputSchema = z.strictObject({
  idea: z.string().trim().min(1).max(100_000).meta(safe()),
  attachments,
  config,
  signature,
});

export const solveInputSchema = z.strictObject({
  problem: task,
  attachments,
  config,
  signature,
});
