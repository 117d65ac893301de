import type { ReplyCall } from '../../../protocol/model-call.ts';
import { hasWords } from '../../agent/text.ts';

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
 * Whether a restart tells the team nothing, as those of small models do: nothing but words of what the judge was told ("attempt 1",
 * "submit"), or, where a schema has made it call, one word each.
 */
function saysNothing(decision: Decision, { isHeld, words }: Told): boolean {
  if (decision.kind !== 'restart' || decision.execute === true) return false;
  const known = wordsOf(words);
  const texts = [decision.reason, decision.instructions];
  if (isHeld && texts.every((text) => !/\S\s+\S/.test(text))) return true;
  return texts.every((text) => !hasWords(text) || known.includes(wordsOf(text)));
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
