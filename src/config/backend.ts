import { z } from 'zod';

/** `openai`, `gemini` and `chatcompletion` speak Chat Completions, `claude` Anthropic's Messages; `offline` needs no network. */
export const backendTypes = ['openai', 'claude', 'gemini', 'chatcompletion', 'offline'] as const;

const name = z.string().min(1);

/** A server of tools over the Model Context Protocol: a command that speaks it over stdio, or an HTTP address. */
export const mcpServerSchema = z.union([
  z.strictObject({ name, command: name, args: z.array(z.string()).default([]) }),
  z.strictObject({ name, url: z.url() }),
]);

export type McpServer = z.output<typeof mcpServerSchema>;

/** An agent's `backend:`. Temperatures are the provider's: out of its range they are clamped. */
export const backendSchema = z.strictObject({
  type: z.enum(backendTypes),
  model: name.optional(),
  base_url: z.url().optional(),
  api_key_env: name.optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().positive().optional(),
  folder: name.optional(),
  mcp_servers: z.array(mcpServerSchema).optional(),
  cwd: name.optional(),
  enable_mcp_command_line: z.boolean().optional(),
  command_line_execution_mode: z.enum(['local', 'docker']).optional(),
});

export type Backend = z.output<typeof backendSchema>;
