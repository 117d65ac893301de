import { headings } from '../../protocol/headings.ts';
import type { Content, Text } from '../../protocol/message.ts';
import type { ToolCallSummary } from '../../protocol/model-call.ts';
import { joinContent } from '../agent/text.ts';
import { shortened } from '../runtime/size.ts';
import {
  bestAnswer,
  inOneLine,
  ownAnswers,
  restartList,
  taggedAnswer,
  type PastRestart,
  type ToldAnswer,
} from './prompts.ts';

export interface VoteCount {
  /** Anonymous name. */
  name: string;
  reasons: string[];
}

/** What judges are shown of how a result came about. */
export interface WorkRecord {
  /** The tool calls of the agent whose answer was selected. */
  work: ToolCallSummary[];
  restarts: PastRestart[];
  votes: VoteCount[];
  /** Anonymous name of the selected answer. */
  selected: string;
}

/** How many tool calls judges are shown, the last ones. */
const mostWork = 20;

/** Empty if there were none. */
function workList(work: ToolCallSummary[]): string {
  if (work.length === 0) return '';
  const left = Math.max(0, work.length - mostWork);
  const lines = work.slice(left).map(({ input, status, text, tool }) => `- ${tool}(${input}) → ${status}: ${text}`);
  const note = left === 0 ? [] : [`- (${left} calls before these)`];
  return `\n\n${headings.work}\n\n${[...note, ...lines].join('\n')}`;
}

/** How long the reasons of all votes may be together, and how long one may be in any case, in characters. */
const reasonsLength = 10_000;
const reasonLength = 60;

function voteList(votes: VoteCount[], selected: string): string {
  const most = Math.max(reasonLength, reasonsLength / votes.flatMap(({ reasons }) => reasons).length);
  const lines = votes.map(
    ({ name, reasons }) =>
      `- ${name}: ${reasons.length} (${reasons.map((reason) => shortened(inOneLine(reason), most)).join('; ')})`,
  );
  return `\n\n${headings.votes}\n\n${[...lines, `Selected: ${selected}`].join('\n')}`;
}

/** @param own the anonymous names of the reader's answers */
export function reviewMessage(
  task: Text,
  answers: Content,
  own: string[],
  { restarts, selected, votes, work }: WorkRecord,
): Content {
  return joinContent([
    `${headings.task}\n\n`,
    task,
    '\n\n',
    answers,
    ownAnswers(own),
    voteList(votes, selected),
    workList(work),
    restartList(restarts),
  ]);
}

export interface PresentedRecord extends WorkRecord {
  /** The selected answer where it was a plan, or tools were used for it: what the presented answer is measured by. */
  plan: ToldAnswer | undefined;
  /** What the result has changed in files; undefined for nothing. */
  diff?: Text | undefined;
  /** The best answer of the attempts before. */
  best: ToldAnswer | undefined;
}

export function presentedMessage(task: Text, presented: ToldAnswer, record: PresentedRecord): Content {
  const { best, diff, plan, restarts, selected, votes, work } = record;
  return joinContent([
    `${headings.task}\n\n`,
    task,
    `\n\n${headings.finalAnswer}\n\n`,
    ...taggedAnswer(presented),
    ...(plan === undefined ? [] : [`\n\n${headings.plan}\n\n`, ...taggedAnswer(plan)]),
    workList(work),
    ...(diff === undefined ? [] : [`\n\n${headings.files}\n\n`, diff]),
    voteList(votes, selected),
    restartList(restarts),
    ...bestAnswer(best),
  ]);
}
