import type { Requester } from '../../protocol/events.ts';
import type { Content, Text } from '../../protocol/message.ts';
import { answerClosing, answerOpening, headings } from '../../protocol/headings.ts';
import { askingText, type Asking } from '../ask-others/prompts.ts';
import { joinContent } from '../agent/content.ts';

const coordination =
  'You are one of several agents working on the same task. Propose a complete answer with `new_answer`. ' +
  'When all have answered you see every answer under a neutral name: then `vote` for the best one, ' +
  'or give a better one with `new_answer`.';

const oneCall = 'Each reply is exactly one of these calls.';

const askOrAct = 'Each reply either asks or is exactly one of the other two calls.';

/** How a team works together: what every agent is told. @param asking how agents may ask; undefined: they may not */
export function coordinationText(asking: Asking | undefined): string {
  return asking === undefined
    ? `${coordination} ${oneCall}`
    : `${coordination} ${askingText(asking)} ${askOrAct}`;
}

/** The system message of an agent: its persona first, then its duty. */
export function systemMessage(persona: Text | undefined, duty: Text): Content {
  return persona === undefined ? duty : joinContent([persona, '\n\n', duty]);
}

/** Why the attempt before was not enough. */
export interface RestartNotice {
  /** The attempt that starts now; the first one after a restart is 2. */
  attempt: number;
  reason: Text;
  instructions: Text;
  /** Who asked for it: the final agent, or a person by signal. */
  by: Requester;
}

/**
 * What each agent is told after a restart (MassGen's documentation "Orchestration Restart", Agent Context):
 * its headings, labels and the number of the attempt, the reason and the instructions in full.
 */
export function restartBlock(notice: RestartNotice): Content {
  const asker = notice.by === 'person' ? 'The restart was requested by a person.' : '';
  return joinContent([
    `${headings.previousAttempts}\n\nThis is attempt ${notice.attempt} to solve the task. ` +
      `What the last one produced was not good enough. ${asker}`.trim(),
    `\n\n${headings.whyRestart}\n`,
    notice.reason,
    `\n\n${headings.instructions}\n`,
    notice.instructions,
    '\n\nStart afresh and follow these instructions.',
  ]);
}

/** The message that opens an agent's attempt. */
export function taskMessage(task: Text, restart: RestartNotice | undefined): Text[] {
  return joinContent([
    `${headings.task}\n\n`,
    task,
    ...(restart === undefined ? [] : ['\n\n', restartBlock(restart)]),
  ]);
}

/** The same as one string, for a file of the user's own. */
export function plainTask(task: string, restart: RestartNotice | undefined): string {
  return taskMessage(task, restart)
    .filter((part) => typeof part === 'string')
    .join('');
}

/** An answer as a prompt shows it. */
export interface ShownAnswer {
  /** Anonymous name: `agent1`… */
  name: string;
  content: Text;
  yours: boolean;
}

export function answerList(answers: ShownAnswer[]): Content {
  return joinContent([
    headings.answers,
    ...answers.flatMap((answer) => [
      `\n\n${answerOpening(answer.name, answer.yours)}\n`,
      answer.content,
      `\n${answerClosing}`,
    ]),
  ]);
}

/**
 * Opens a round of voting.
 *
 * @param changed what this agent has not been shown yet: all answers in the first round, later the new ones
 */
export function votingMessage(changed: ShownAnswer[], firstRound: boolean): Content {
  return joinContent([
    answerList(changed),
    firstRound
      ? '\n\nVote for the best answer, or give a better one.'
      : '\n\nThese replace the earlier answers of the same name; all votes so far are void. Vote again, or give a better answer.',
  ]);
}
