import type { BackendType } from '../../protocol/settings.ts';

/** All of them, in the order in which they are told. */
export const backendTypes = [
  'openai',
  'claude',
  'gemini',
  'chatcompletion',
  'claude_code',
  'offline',
] as const satisfies BackendType[];
