import { z } from 'zod';
import { mcpServersSchema } from './tool-sources.ts';

/** `openai`, `gemini` and `chatcompletion` speak Chat Completions, `claude` speaks Anthropic's Messages. */
export const backendTypes = ['openai', 'claude', 'gemini', 'chatcompletion', 'offline'] as const;

const name = z.string().min(1);

/** An agent's `backend:`. A temperature outside the provider's range is clamped to it. */
export const backendSchema = z.strictObject({
  type: z.enum(backendTypes),
  model: name.optional(),
  base_url: z.url().optional(),
  api_key_env: name.optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().positive().optional(),
  folder: name.optional(),
  mcp_servers: mcpServersSchema.optional(),
  cwd: name.optional(),
  enable_mcp_command_line: z.boolean().optional(),
  command_line_execution_mode: z.enum(['local', 'docker']).optional(),
});

/** A role that has a backend and nothing else to configure. */
export const roleSchema = z.strictObject({ backend: backendSchema });

export type Backend = z.output<typeof backendSchema>;
