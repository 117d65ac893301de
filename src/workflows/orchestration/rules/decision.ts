import type { ReplyCall } from '../../../protocol/model-call.ts';
import { withoutRepetition } from '../../agent/repetition.ts';

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

/** A text as its words alone, with a mark for each number. */
const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/\d+/g, '#')
    .replaceAll(/[^\p{L}\p{M}_#]+/gu, ' ')
    .trim()} `;

/**
 * Whether a restart tells the team nothing, as those of small models do: words of what the judge was told alone ("attempt 1", "submit"),
 * figures, a loop, or, where a schema has made it call, one word each.
 */
function saysNothing(decision: Decision, { isHeld, words }: Told): boolean {
  if (decision.kind !== 'restart' || decision.execute === true) return false;
  const known = wordsOf(words);
  const isNothing = (text: string): boolean =>
    !/\p{L}/u.test(text) || known.includes(wordsOf(text)) || withoutRepetition(text) !== undefined;
  const texts = [decision.reason, decision.instructions];
  return texts.every(isNothing) || (isHeld && texts.every((text) => !/\S\s+\S/.test(text)));
}

/** How a judge was asked to decide. */
interface Told {
  words: string;
  /** Whether a schema holds it to a call. */
  isHeld: boolean;
}

/** The first decision among a judge's calls; undefined when no call is valid, or a restart has no reason. */
export function readDecision(calls: ReplyCall[], told: Told): Decision | undefined {
  return calls.map(readCall).find((decision) => decision !== undefined && !saysNothing(decision, told));
}
