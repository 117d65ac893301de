import type { ReplyCall } from '../../../protocol/model-call.ts';

export type Decision =
  /** `warning` says why this counts as submitting although the judge did not plainly say so. */
  { kind: 'submit'; warning?: string } | { kind: 'restart'; reason: string; instructions: string };

function readCall(call: ReplyCall): Decision | undefined {
  if ('error' in call) return undefined;
  if (call.name === 'restart_orchestration') {
    const { instructions, reason } = call.input;
    return { kind: 'restart', reason: String(reason), instructions: String(instructions) };
  }
  if (call.input['confirmed'] === true) return { kind: 'submit' };
  return { kind: 'submit', warning: 'submit was called with confirmed: false' };
}

/** The first decision among a judge's calls; undefined when no call is valid. */
export function readDecision(calls: ReplyCall[]): Decision | undefined {
  return calls.map(readCall).find((decision) => decision !== undefined);
}
