/** Whom `ask_others` asks. */
export type AskingMode = 'agents' | 'human';

/** How often agents are to use `ask_others`. */
export type Sensitivity = 'low' | 'medium' | 'high';

export interface Asking {
  mode: AskingMode;
  sensitivity: Sensitivity;
}

const whom: Record<AskingMode, string> = {
  agents: '`ask_others` puts a question to all other agents and returns their responses.',
  human:
    '`ask_others` puts a question to the person whom you work for and returns the answer. ' +
    'With the status `deferred` it returns what the person has answered before: if that does not help, ' +
    'ask again, more specifically.',
};

const howOften: Record<Sensitivity, string> = {
  low: 'Use it rarely: only where you cannot go on by yourself.',
  medium: 'Use it where a response may change what you do.',
  high: 'Use it frequently: before you decide on something, and to check what you assume.',
};

/** What an agent that may ask is told of it, beside the tool itself. */
export function askingText({ mode, sensitivity }: Asking): string {
  return `${whom[mode]} ${howOften[sensitivity]}`;
}

/** Goes with a history of answers (MassGen's documentation "Agent Communication", Human Q&A Context Injection). */
export const historyNote =
  'The human has already answered questions this session. Review the history above: if it answers your question, ' +
  'use that; if not, call ask_others again with a different, more specific question.';

/** What an asker is told where nobody was asked. */
export type AskRefusal =
  | { kind: 'empty' }
  | { kind: 'invalid'; error: string }
  | { kind: 'nobody' }
  | { kind: 'too many'; limit: number };

export function askRefusalText(refusal: AskRefusal): string {
  switch (refusal.kind) {
    case 'empty':
      return 'The question is empty.';
    case 'invalid':
      return refusal.error;
    case 'nobody':
      return 'There is no other agent to ask.';
    case 'too many':
      return `You have ${refusal.limit} questions under way already, which is the most that you may have at once.`;
  }
}
