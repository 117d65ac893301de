import { commandOf } from '../../protocol/definitions.ts';
import { askedText, type PendingQuestion } from '../../protocol/questions.ts';

/** The kind of a run, which is the command that begins one; else the workflow type. */
export const kindOf = (workflow: string): string => (commandOf as Record<string, string>)[workflow] ?? workflow;

/** What a run waits for, as in `an answer`. */
export const awaitedOf = ({ kind }: PendingQuestion): string =>
  ({ question: 'an answer', approval: 'an approval', tool: 'a permission', key: 'a key' })[kind];

/** The same with who waits, and why: `waits for an answer: agent_a (q1): Which color?` */
export const waitText = (pending: PendingQuestion): string =>
  `waits for ${awaitedOf(pending)}: ${pending.from} (${pending.questionId}): ${askedText(pending)}`;

/** How a missing key or login is put there; with it the run goes on by itself. */
export function remedyOf({ question, questionId }: PendingQuestion): string {
  const isLogin = questionId.startsWith('login-');
  const remedy = isLogin ? question.replace(/^needs a login: /, '') : `set ${questionId.replace(/^key-/, '')}`;
  return `${remedy} where the worker runs; the run goes on by itself`;
}
