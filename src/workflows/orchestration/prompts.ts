import type { Requester } from '../../protocol/events.ts';
import { answerClosing, answerOpening, headings } from '../../protocol/headings.ts';
import type { Content, Text, ToolSpec } from '../../protocol/message.ts';
import { joinContent } from '../agent/content.ts';
import {
  askingText,
  askingTools,
  responsesAreAutomatic,
  type AskingMode,
  type AskingRules,
} from '../ask-others/prompts.ts';
import type { Refusal } from './rules/action.ts';

const coordination =
  'You are one of several agents working on the same task. Propose a complete answer with `new_answer`. ' +
  'When all have answered you see every answer under a neutral name: then `vote` for the best one, ' +
  'or give a better one with `new_answer`.';

const oneCall = 'Each reply is exactly one of these calls.';

const askOrAct = 'Each reply either asks or is exactly one of the other two calls.';

/** Tells every agent how the team works together. @param asking undefined when agents may not ask others */
export function coordinationText(asking: AskingRules | undefined): string {
  return asking === undefined ? `${coordination} ${oneCall}` : `${coordination} ${askingText(asking)} ${askOrAct}`;
}

/** What the agents of an attempt are told about the restart before it. */
export interface RestartNotice {
  /** Number of the attempt that starts now, from 2. */
  attempt: number;
  reason: Text;
  instructions: Text;
  by: Requester;
}

/**
 * Tells each agent why the team starts over, with the reason and the instructions in full. Headings and labels are those of
 * MassGen's documentation "Orchestration Restart", Agent Context.
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

/** The first message of an attempt. */
export function taskMessage(task: Text, restart: RestartNotice | undefined): Text[] {
  return joinContent([`${headings.task}\n\n`, task, ...(restart === undefined ? [] : ['\n\n', restartBlock(restart)])]);
}

/** The first message as one string, for custom orchestrators. */
export function plainTask(task: string, restart: RestartNotice | undefined): string {
  return taskMessage(task, restart)
    .filter((part) => typeof part === 'string')
    .join('');
}

/** An answer in a prompt. */
export interface ShownAnswer {
  /** Anonymous name, such as `agent1`. */
  name: string;
  content: Text;
  yours: boolean;
}

function answerList(answers: ShownAnswer[]): Content {
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
 * The message that opens a round of voting.
 *
 * @param changed the answers that the agent has not been shown yet: in the first round all, later the new ones
 */
export function votingMessage(changed: ShownAnswer[], firstRound: boolean): Content {
  return joinContent([
    answerList(changed),
    firstRound
      ? '\n\nVote for the best answer, or give a better one.'
      : '\n\nThese replace the earlier answers of the same name; all votes so far are void. Vote again, or give a better answer.',
  ]);
}

/** The final agent's instruction. */
export const finalText =
  'You are the final agent of a team: you judge whether its work is good enough, and write the answer that its reader gets.';

export interface VoteCount {
  /** Anonymous name. */
  name: string;
  reasons: string[];
}

/** What the final agent reviews: the task, all answers and the votes. */
export function reviewMessage(task: Text, answers: ShownAnswer[], votes: VoteCount[], selected: string): Content {
  const lines = votes.map(
    ({ name, reasons }) => `- ${name}: ${reasons.length} (${reasons.map((reason) => reason.trim()).join('; ')})`,
  );
  return joinContent([
    `${headings.task}\n\n`,
    task,
    '\n\n',
    answerList(answers),
    `\n\n${headings.votes}\n\n${[...lines, `Selected: ${selected}`].join('\n')}`,
  ]);
}

/** What the judge evaluates after the presentation: the task and the presented answer. */
export function presentedMessage(task: Text, presented: Text): Content {
  return joinContent([`${headings.task}\n\n`, task, `\n\n${headings.finalAnswer}\n\n`, presented]);
}

/**
 * Asks for `submit` or `restart_orchestration`.
 *
 * @param budgetLeft what is left of the budget, in words; undefined for a run without limits
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

/** The result of a call that is not accepted. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `Error: ${refusal.error}`;
    case 'voting_closed':
      return 'Error: voting opens when every agent has answered. Call `new_answer` first.';
    case 'no_answer':
      return `Error: ${refusal.name} has no answer. Valid choices: ${refusal.choices.join(', ')}.`;
    case 'no_answers_left':
      return `Error: you have given all ${refusal.limit} answers that you may. Call \`vote\`.`;
    case 'duplicate':
      return `Error: that is the answer of ${refusal.of} again. Vote for it, or give a different one.`;
    case 'not_novel':
      return (
        `Error: ${Math.round(refusal.overlap * 100)}% of the words are those of ${refusal.of}'s answer ` +
        `(at most ${Math.round(refusal.limit * 100)}% are accepted). Vote, or give an answer that differs more.`
      );
    case 'results_first':
      return 'Error: not taken, since this reply also asks or uses tools. Read the results, then act.';
    case 'responses_are_automatic':
      return responsesAreAutomatic;
    case 'second_action':
      return 'Error: one action a reply; this one was not taken.';
  }
}

/** What an agent is told after a reply without any call. */
export const noAction = 'That was neither an answer nor a vote. Call `new_answer` or `vote`.';

const text = { type: 'string', minLength: 1 };

/**
 * The tools for answering and voting. They stay the same for the whole run, whoever has answered, so that a provider's
 * prompt cache stays valid.
 *
 * @param names the anonymous names of all agents
 * @param asking undefined when agents may not ask others
 */
export function coordinationTools(names: string[], asking?: AskingMode): ToolSpec[] {
  return [
    {
      name: 'new_answer',
      description: 'Give a complete answer to the task, or a better one than those there are.',
      parameters: { type: 'object', properties: { content: text }, required: ['content'] },
    },
    {
      name: 'vote',
      description: 'Vote for the best answer. Your own is allowed.',
      parameters: {
        type: 'object',
        properties: { agent_id: { type: 'string', enum: names }, reason: { type: 'string' } },
        required: ['agent_id', 'reason'],
      },
    },
    ...(asking === undefined ? [] : askingTools(asking)),
  ];
}

/** The judge's tools (MassGen's documentation "Orchestration Restart", Final Agent Tools). */
export const decisionTools: ToolSpec[] = [
  {
    name: 'submit',
    description: 'The task is done well enough; no further work is needed.',
    parameters: { type: 'object', properties: { confirmed: { type: 'boolean' } }, required: ['confirmed'] },
  },
  {
    name: 'restart_orchestration',
    description: 'Let the whole team start over, with your reason and detailed instructions.',
    parameters: {
      type: 'object',
      properties: { reason: text, instructions: text },
      required: ['reason', 'instructions'],
    },
  },
];
