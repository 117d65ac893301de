import type { Refusal } from './rules/action.ts';

/** What an agent is told of a call that was not accepted. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `Error: ${refusal.error}`;
    case 'voting closed':
      return 'Error: voting opens when every agent has answered. Call `new_answer` first.';
    case 'no answer':
      return `Error: ${refusal.name} has no answer. Valid choices: ${refusal.choices.join(', ')}.`;
    case 'no answers left':
      return `Error: you have given all ${refusal.limit} answers that you may. Call \`vote\`.`;
    case 'duplicate':
      return `Error: that is the answer of ${refusal.of} again. Vote for it, or give a different one.`;
    case 'not novel':
      return (
        `Error: ${Math.round(refusal.overlap * 100)}% of the words are those of ${refusal.of}'s answer ` +
        `(at most ${Math.round(refusal.limit * 100)}% are accepted). Vote, or give an answer that differs more.`
      );
    case 'results first':
      return 'Error: not taken, since this reply also asks or uses tools. Read the results, then act.';
    case 'responses are automatic':
      return responsesAreAutomatic;
    case 'second action':
      return 'Error: one action a reply; this one was not taken.';
  }
}

/** What an agent gets that calls the deprecated `respond_to_broadcast`. */
export const responsesAreAutomatic =
  'Responses are handled automatically: your shadow has answered, or will. Continue your work.';

/** What an agent is told of the call that was accepted. */
export const accepted = 'Recorded.';

/** What an agent is told of a reply without any call. */
export const noAction = 'That was neither an answer nor a vote. Call `new_answer` or `vote`.';

/** What is said to a reply that is to be a call of one tool, and is not. */
export const replyBy = (tool: string): string => `Reply with one call of \`${tool}\`.`;
