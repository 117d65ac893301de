const kinds: Record<string, string> = {
  orchestration: 'ask',
  session: 'chat',
  research: 'research',
  planAndExecute: 'solve',
};

/** The kind of a run, which is the command that begins one; else the workflow type. */
export const kindOf = (workflow: string): string => kinds[workflow] ?? workflow;
