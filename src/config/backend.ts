import { z } from 'zod';

/** Which wire a backend type speaks. `gemini` and `chatcompletion` are OpenAI-compatible endpoints. */
export const backendTypes = ['openai', 'claude', 'gemini', 'chatcompletion', 'offline'] as const;

/** `backend:` of an agent (contract: configuration files, a team). Keys are those of the YAML file. */
export const backendSchema = z.strictObject({
  type: z.enum(backendTypes),
  model: z.string().min(1).optional(),
  base_url: z.url().optional(),
  api_key_env: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().positive().optional(),
  folder: z.string().min(1).optional(),
});

export type Backend = z.infer<typeof backendSchema>;
