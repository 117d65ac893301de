import type { Call } from '../uses.ts';

/** What comes next on a part of a subtask: a call, a line that answers it, or why there is none. */
export type Step = { call: Call } | { line: string } | { missing: string };
