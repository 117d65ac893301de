import type { ReplyCall } from '../../../protocol/model-call.ts';

export type Decision = {
  /** Whether the judge finds the best answer so far better than the presented one. */
  prefersEarlier?: boolean;
} & (
  | {
      kind: 'submit';
      /** Says why this counts as submitting although the judge did not plainly say so. */
      warning?: string;
      /** Whether the judge has decided nothing. */
      isDefault?: true;
    }
  | {
      kind: 'restart';
      reason: string;
      instructions: string;
      /** Whether the team is to carry out what it has planned. */
      execute?: boolean | undefined;
    }
);

function readCall(call: ReplyCall): Decision | undefined {
  if ('error' in call) return undefined;
  const { better, confirmed, execute, instructions, reason } = call.input;
  const compared = better === 'earlier' && { prefersEarlier: true };
  if (call.name === 'restart_orchestration') {
    const asked = typeof execute === 'boolean' && { execute };
    return { kind: 'restart', reason: String(reason), instructions: String(instructions), ...asked, ...compared };
  }
  if (confirmed === true) return { kind: 'submit', ...compared };
  return { kind: 'submit', warning: 'submit was called with confirmed: false', ...compared };
}

/** The first decision among a judge's calls; undefined when no call is valid. */
export function readDecision(calls: ReplyCall[]): Decision | undefined {
  return calls.map(readCall).find((decision) => decision !== undefined);
}
