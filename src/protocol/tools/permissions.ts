/** What may become of a tool call: it runs, a person is asked for approval, or it does not run. */
export type PermissionAction = 'allow' | 'ask' | 'deny';

/** A rule about calls of tools (the key `permissions` of a configuration). The first one that fits a call decides. */
export interface PermissionRule {
  /** The tool's name, in which `*` stands for any characters. */
  tool: string;
  /**
   * By the names of arguments, what each of them must be, with `*` for any characters. All must fit, and an argument that
   * the call lacks fits nothing. Absent: whatever the arguments are. What `run_command` runs is compared command by command
   * (docs/commands.md).
   */
  arguments?: Record<string, string> | undefined;
  action: PermissionAction;
}

/** Which tool calls a run may make, as the worker that has prepared it says. */
export interface Permissions {
  rules: PermissionRule[];
  /** Whether there is a person who may be asked about calls that no rule fits. */
  attended: boolean;
  /** How long a person has to decide, in milliseconds; null for no limit. */
  timeout: number | null;
}

/** What a person decides about a tool call that waits for approval: the payload of the signal `approve`. */
export interface ToolDecision {
  /** Id of what waits, as the query `pendingQuestions` has it. */
  id: string;
  /** `edit`: the call runs with other arguments. */
  action: 'allow' | 'deny' | 'edit';
  /** With `edit`: what the call runs with, in place of all its arguments. */
  arguments?: Record<string, unknown>;
  /** With `deny`: why, for the agent. */
  reason?: string;
  /** Whether `allow` or `deny` holds for all later calls of this tool in the run as well. */
  always?: boolean;
}

/** How a tool call stopped waiting for approval. `withdrawn`: whoever called the tool does not wait any more. */
export type ApprovalEnd = 'allowed' | 'edited' | 'denied' | 'timeout' | 'withdrawn';

/**
 * What a person's words decide: yes, always or no, the last with a reason behind it where there is one. Undefined for
 * any other words, since nothing may run, or be refused, because of a misunderstanding.
 */
export function decisionIn(words: string): Omit<ToolDecision, 'id'> | undefined {
  const said = words.trim();
  if (/^(?:y|yes|allow|ok|okay)[.!]?$/i.test(said)) return { action: 'allow' };
  if (/^always[.!]?$/i.test(said)) return { action: 'allow', always: true };
  const no = /^(?:n|no|deny)(?:[\s.,:;!–—-]+(.*))?$/is.exec(said);
  // "No problem" says the contrary.
  if (no === null || /^no\s+(?:problem|objection|concern|worries|issue)/i.test(said)) return undefined;
  const [, reason = ''] = no;
  return { action: 'deny', ...(reason !== '' && { reason }) };
}
