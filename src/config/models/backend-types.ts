import type { BackendType } from '../../protocol/settings.ts';

export const backendTypes = [
  'openai',
  'claude',
  'gemini',
  'chatcompletion',
  'claude_code',
  'offline',
] as const satisfies BackendType[];
