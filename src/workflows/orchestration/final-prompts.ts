import type { Content, Text } from '../../protocol/message.ts';
import { answerList, type ShownAnswer } from './prompts.ts';
import { joinContent } from '../agent/content.ts';
import { headings } from '../../protocol/headings.ts';

/** The duty of the agent that judges and presents. */
export const finalText =
  'You are the final agent of a team: you judge whether its work is good enough, and write the answer that its reader gets.';

export interface VoteCount {
  /** Anonymous name. */
  name: string;
  reasons: string[];
}

/** The task with all answers and votes: what the final agent reviews. */
export function reviewMessage(
  task: Text,
  answers: ShownAnswer[],
  votes: VoteCount[],
  selected: string,
): Content {
  const lines = votes.map(
    ({ name, reasons }) =>
      `- ${name}: ${reasons.length} (${reasons.map((reason) => reason.trim()).join('; ')})`,
  );
  return joinContent([
    `${headings.task}\n\n`,
    task,
    '\n\n',
    answerList(answers),
    `\n\n${headings.votes}\n\n${[...lines, `Selected: ${selected}`].join('\n')}`,
  ]);
}

/** The fresh conversation of the judge after presenting: the task and the presented answer. */
export function presentedMessage(task: Text, presented: Text): Content {
  return joinContent([`${headings.task}\n\n`, task, `\n\n${headings.finalAnswer}\n\n`, presented]);
}

/**
 * Asks for `submit` or `restart_orchestration`.
 *
 * @param budgetLeft what is left of the run's budget in words; undefined where it has none
 */
export function decisionPrompt(attempt: number, maxAttempts: number, budgetLeft: string | undefined): string {
  return (
    `${headings.decision}\n\n` +
    'Restart (`restart_orchestration`) when critical steps are missing, the work was described but not done, ' +
    'the approach is fundamentally flawed, or specific guidance would clearly improve the result. ' +
    'Submit (`submit`) when all requirements are met, what could be better is not worth its cost, ' +
    'time or budget is short, or the task is adequately addressed even if not perfect.\n' +
    `This is attempt ${attempt} of ${maxAttempts}.` +
    (budgetLeft === undefined ? '' : ` Budget left: ${budgetLeft}.`) +
    ' Call one of the two tools.'
  );
}

export const decisionRepair = 'That decided nothing. Call `submit` or `restart_orchestration`.';

export const presentPrompt =
  'Now write the final answer for the reader of the task: complete by itself, built on the best of the answers above. ' +
  'Reply with its text alone.';
