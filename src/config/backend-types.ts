/**
 * `openai` speaks Responses, `gemini` and `chatcompletion` Chat Completions, `claude` Anthropic's Messages. `claude_code` is no
 * model but an agent of its own, which works on its files with its own tools.
 */
export const backendTypes = ['openai', 'claude', 'gemini', 'chatcompletion', 'claude_code', 'offline'] as const;
