import type { Requester } from '../../protocol/events.ts';
import { headings, tagFor } from '../../protocol/headings.ts';
import type { Content, Text } from '../../protocol/message.ts';
import type { OrchestrationResult } from '../../protocol/orchestration.ts';
import { joinContent } from '../agent/text.ts';
import { today } from '../agent/prompts.ts';
import { askingText, responsesAreAutomatic, type AskingRules } from '../ask-others/prompts.ts';
import type { Refusal } from './rules/action.ts';
import { shortened } from '../runtime/size.ts';

/** Names no tool: small models then write about the tools, and give a right answer half as often. */
const coordination =
  'Answer the task completely and correctly. Other agents do so too: when all have answered, you are shown every answer ' +
  'under a neutral name and vote for the best one, or give a better one.';

const oneCall = 'Every reply is one call.';

const askOrAct = 'Every reply is one call, or asks.';

const planOnly =
  'For now the team plans and does not act: tools that change anything are withheld until the plan is agreed. ' +
  'Answer with a plan that can be carried out as it stands: every step in order, with what it changes and how its ' +
  'success is seen. Do not claim that anything was done.';

const ownFiles = (folder: string): string =>
  'You have a workspace: files that your tools list, read and change, and that belong to your answer as they are when you ' +
  `give it. As soon as another answer is shown to you, its files are in ${folder}/NAME/, where you can only read them.`;

/**
 * @param asking undefined when agents may not ask others
 * @param folder where an agent with a workspace finds the files of the others; undefined for one without
 */
export function coordinationText(asking: AskingRules | undefined, isPlanning = false, folder?: string): string {
  const calls = asking === undefined ? [oneCall] : [askingText(asking), askOrAct];
  const files = folder === undefined ? [] : [ownFiles(folder)];
  return [coordination, ...calls, ...files, ...(isPlanning ? [planOnly] : []), today()].join(' ');
}

export interface RestartNotice {
  /** Number of the attempt that starts now, from 2. */
  attempt: number;
  reason: Text;
  instructions: Text;
  by: Requester;
  /** The restarts before this one, each with the attempt that it followed. */
  earlier?: PastRestart[];
  best?: ToldAnswer | undefined;
  /** Which files the agent has now; undefined for an agent without a workspace. */
  files?: string | undefined;
}

/** Says which files an agent has after a restart. @param folder where those of the best answer are; undefined for none */
export function startFiles(start: 'clean' | 'winner', folder: string | undefined): string {
  if (folder !== undefined && start === 'winner') return 'Your workspace holds the files of the best answer so far.';
  const best = folder === undefined ? '' : ` The files of the best answer so far are in ${folder}/.`;
  return `Your workspace is again as it was at the very beginning.${best}`;
}

export type PastRestart = OrchestrationResult['restarts'][number];

/** How many restarts a prompt repeats, and how many characters of each text: enough for what they asked for. */
const mostRestarts = 5;
const mostOfRestart = 500;

/** A text as a part of a line, so that it makes no lines of its own among those of a list. */
export const inOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Lists what was asked for by earlier restarts; empty if there were none. */
export function restartList(restarts: PastRestart[]): string {
  if (restarts.length === 0) return '';
  const lines = restarts.slice(-mostRestarts).map(({ attempt, instructions, reason }) => {
    const [why, what] = [reason, instructions].map((text) => shortened(inOneLine(text), mostOfRestart));
    return `- after attempt ${attempt}: ${why} Asked for: ${what}`;
  });
  return `\n\n${headings.earlierRestarts}\n${lines.join('\n')}`;
}

/** An answer by itself. `text` stands for its content. */
export interface ToldAnswer {
  content: string;
  text: Content;
}

/** An answer between tags that it has not itself, so that it cannot end early, and go on as what it is not. */
export function taggedAnswer({ content, text }: ToldAnswer): Content[] {
  const tag = tagFor('answer', [content]);
  return [`<${tag}>\n`, text, `\n</${tag}>`];
}

export const bestAnswer = (best: ToldAnswer | undefined): Content[] =>
  best === undefined ? [] : [`\n\n${headings.best}\n`, ...taggedAnswer(best)];

const opensAttempt = (attempt: number, by: Requester): string =>
  `This is attempt ${attempt} to solve the task. ` +
  `${by === 'person' ? 'A person' : 'The final agent from the previous attempt'} was not satisfied and requested a restart.`;

const takeInsights = 'Please take these insights into account as you work on providing a better answer.';

/** What agents are told in every run besides the task, which some models repeat in place of an answer. */
export const toldToAgents = (): string =>
  [answerByCall, voteByCall, noAction, coordination, opensAttempt(2, 'final_agent'), takeInsights].join(' ');

/** The words are those of MassGen's documentation "Orchestration Restart", Agent Context. */
export function restartBlock(notice: RestartNotice): Content {
  return joinContent([
    `${headings.previousAttempts}\n\n${opensAttempt(notice.attempt, notice.by)}`,
    `\n\n${headings.whyRestart}\n`,
    notice.reason,
    `\n\n${headings.instructions}\n`,
    notice.instructions,
    restartList(notice.earlier ?? []),
    ...bestAnswer(notice.best),
    notice.files === undefined ? '' : `\n\n${notice.files}`,
    `\n\n${takeInsights}`,
  ]);
}

export function taskMessage(task: Text, restart: RestartNotice | undefined): Text[] {
  return joinContent([`${headings.task}\n\n`, task, ...(restart === undefined ? [] : ['\n\n', restartBlock(restart)])]);
}

/** The first message as one string, for custom orchestrators. */
export function plainTask(task: string, restart: RestartNotice | undefined): string {
  return taskMessage(task, restart)
    .filter((part) => typeof part === 'string')
    .join('');
}

export interface ShownAnswer {
  /** Anonymous name, such as `agent1`. */
  name: string;
  content: string;
  /** What stands for its content; absent: the content itself. */
  reference?: Content;
  /** What it has changed in files, every line marked as a part of a diff; undefined for nothing. */
  diff?: Text | undefined;
}

/** Lists answers. It says nothing of its reader, so that all readers can be given one stored text. */
export function answerList(answers: ShownAnswer[]): Content {
  const texts = answers.map(({ content }) => content);
  const tag = tagFor('answer', texts);
  return joinContent([
    headings.answers,
    ...answers.flatMap(({ content, diff, name, reference = content }) => [
      `\n\n<${tag} agent="${name}">\n`,
      reference,
      `\n</${tag}>`,
      ...(diff === undefined ? [] : [`\n<files agent="${name}">\n`, diff, '\n</files>']),
    ]),
  ]);
}

/** Says which of the listed answers are the reader's; nothing where none is. @param own their anonymous names */
export function ownAnswers(own: string[]): string {
  if (own.length > 1) return `\n\nThe answers of ${own.join(' and ')} are yours.`;
  return own.length === 0 ? '' : `\n\nThe answer of ${own[0]} is yours.`;
}

/**
 * @param changed lists the answers that the agent has not been shown yet: in the first round all, later the new ones
 * @param own the anonymous names of its own among them
 */
export function votingMessage(changed: Content, own: string[], firstRound: boolean): Content {
  return joinContent([
    changed,
    ownAnswers(own),
    firstRound
      ? '\n\nVote for the best answer, or give a better one.'
      : '\n\nThese replace the earlier answers of the same name; all votes so far are void. Vote again, or give a better answer.',
  ]);
}

export const finalText = (): string =>
  'You are the final agent of a team: you judge whether its work is good enough, and write the answer that its reader ' +
  `gets. ${today()}`;

/** @param budgetLeft in words; undefined for a run without limits */
export function decisionPrompt(attempt: number, maxAttempts: number, budgetLeft: string | undefined): string {
  return (
    `${headings.decision}\n\n` +
    'Measure the result by the task, requirement by requirement, and by what was really done, not by what it claims. ' +
    'Restart (`restart_orchestration`) when critical steps are missing, the work was described but not done, ' +
    'the approach is fundamentally flawed, or specific guidance would clearly improve the result. ' +
    'Call it incomplete when a part of the task has no answer, a claim that the task depends on rests on nothing, ' +
    'or the answer does not have the form that the task asks for. Name in the reason what is missing, and in the ' +
    'instructions what to do differently, so that a team which has not seen this attempt can follow them. ' +
    'Submit (`submit`) when all requirements are met, what could be better is not worth its cost, ' +
    'time or budget is short, or the task is adequately addressed even if not perfect.\n' +
    `This is attempt ${attempt} of ${maxAttempts}.` +
    (budgetLeft === undefined ? '' : ` Budget left: ${budgetLeft}.`) +
    ' Call one of the two tools.'
  );
}

export const comparePrompt =
  'Nobody has voted on these answers. Compare them by the task, and call `vote` with the name of the best one.';

export const decisionRepair =
  'That decided nothing. Call `submit`, or `restart_orchestration` with what is missing as its reason.';

export const presentPrompt =
  'Now write the final answer for the reader of the task: complete by itself, in the form that the task asks for, ' +
  'built on the best of the answers above. Reply with its text alone.';

/** To a final agent with tools. */
export const carryOutPrompt =
  'The team has only planned, and nothing was done yet. You may act and have all tools: carry out what the task needs, ' +
  'check that it worked, and say in the answer what was done. ' +
  presentPrompt;

/** Comes before either of these where the final agent has a workspace. */
export const filesPrompt =
  'Your workspace holds the files of the selected answer. As you leave them, they are delivered with your answer.';

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

export const noAction = 'That was neither an answer nor a vote. Call `new_answer` or `vote`.';

/** After a text that may be the answer, and one that may speak for one. */
export const answerByCall =
  'Nobody sees a text alone. If that was your answer, call `new_answer` with it; otherwise go on, and then call it.';
export const voteByCall =
  'Nobody sees a text alone. Call `vote` with the name of the best answer, or `new_answer` with a better one.';
