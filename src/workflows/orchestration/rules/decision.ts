import type { ReplyCall } from '../../../protocol/model-call.ts';
import { withoutRepetition } from '../../agent/repetition.ts';
import { plain } from '../../agent/text.ts';
import type { TeamRestart } from '../context.ts';

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

interface Asked {
  prompt: string;
  /** Whether a schema holds it to a call. */
  isHeld: boolean;
}

/** A text as its words alone, in spaces, so that no word is found within another. */
const wordsOf = (text: string): string =>
  ` ${plain(text)
    .replaceAll(/[^\p{L}\p{M}#]+/gu, ' ')
    .trim()} `;

/** One word of a language that puts spaces between them. */
const oneWord = /^[^\p{L}\p{N}]*[\p{Script=Latin}\p{M}\p{N}_]+[^\p{L}\p{N}]*$/u;

/** How often a text may say the same sentence in a row: the texts of a schema end before they are a loop by their length. */
const maxRounds = 4;

function isLoop(text: string): boolean {
  if (withoutRepetition(text) !== undefined) return true;
  const sentences = text.trim().split(/(?<=[.!?])\s+/);
  return sentences.some((each, index) => {
    const rounds = sentences.slice(index, index + maxRounds + 1);
    return rounds.length > maxRounds && rounds.every((other) => other === each);
  });
}

/**
 * Whether a small model's restart tells the team nothing: words of the judge's prompt ("attempt 1", "submit"), figures, a
 * loop, or, where a schema has made it call, one word each.
 */
function saysNothing(decision: Decision, { isHeld, prompt }: Asked): boolean {
  if (decision.kind !== 'restart' || decision.execute === true) return false;
  const known = wordsOf(prompt);
  const isNothing = (text: string): boolean => !/\p{L}/u.test(text) || known.includes(wordsOf(text)) || isLoop(text);
  const texts = [decision.reason, decision.instructions];
  return texts.every(isNothing) || (isHeld && texts.every((text) => oneWord.test(text)));
}

/** The first decision among a judge's calls; undefined when no call is valid, or a restart has no reason. */
export function readDecision(calls: ReplyCall[], asked: Asked): Decision | undefined {
  return calls.map(readCall).find((decision) => decision !== undefined && !saysNothing(decision, asked));
}

const onlyPlanned =
  /\b(?:only|merely|just) (?:a )?(?:plan|describ)|\b(?:didn['’]t|did not|without|never) (?:\w+ )?(?:execut|implement|carr)/i;

const makeReal =
  /\b(?:actually|really|now) (?:\w+ )?(?:implement|execut|perform|carry|modify|make|run|do|create|write|change)|\breal changes\b|\b(?:execute|carry out) (?:the|this|your|that|it)\b/i;

/**
 * Whether a restart asks a team to carry out its plan (MassGen's documentation "Orchestration Restart", Example 1: Planning to
 * Execution). What it says by `execute` counts; where it says nothing, as a person's never does, its words do.
 */
export function asksToExecute({ execute, instructions, reason }: Omit<TeamRestart, 'by'>): boolean {
  return execute ?? (onlyPlanned.test(reason) || makeReal.test(instructions));
}
