import { headings } from '../../../protocol/headings.ts';
import { withoutRepetition } from '../../agent/repetition.ts';
import { isEcho, plain, sentenceWords } from '../../agent/text.ts';

/** The tools by which agents act in a team. A short text that speaks of them is no answer, but for a task that does so too. */
const acts = /\b(?:new_answer|restart_orchestration)\b|`(?:vote|submit)`|\b(?:vote|submit)\(/;
const talkOfTools = /\b(?:call|choose|use|using|calling)\b[^.!?\n]*\btools?\b/i;
const shortTalk = 400;

/** All of a text, where it is nearly the name of a tool: a model of 135 M parameters has called `nw_answer`. */
const misspelt = /^\W*[a-z]{1,4}_answers?\W*$/i;

/** Marks of chat templates, which small models write as text where they go on as somebody else. In code they are what was asked for. */
const marks = /^[^`]*?(<\|im_(?:start|end)\|>|<(?:start|end)_of_turn>)/;

/** A text without the headings of prompts, and the numbers that models put before questions. */
const bare = (text: string): string => plain(text.replaceAll(/^(#+ .*|[*_]*(question|task)\b.{0,4}:)$/gim, ''));

/** Whether a text is the task once more, or another one under its heading, with nothing that answers it. */
function isTask(text: string, task: string): boolean {
  const said = bare(text);
  if (said.split(' ').length > sentenceWords && said === bare(task)) return true;
  const found = text.trim().match(/^#+ .*$/gm) ?? [];
  return (
    text.trimStart().startsWith(headings.task) && found.every((heading) => promptHeadings.includes(heading.trim()))
  );
}

const promptHeadings: string[] = [headings.task, headings.previousAttempts, headings.answers];

/** Whether a text begins and ends with sentences of its instructions: it repeats them, with what was filled in between. */
function isNotice(text: string, instructions: string): boolean {
  const lines = text.trim().split(/\n+|(?<=[.!?])\s+/);
  return lines.length > 2 && [lines[0], lines.at(-1)].every((line = '') => isEcho(line, instructions));
}

/** What a text was written for. */
export interface Occasion {
  task: string;
  /** What its writer was told to do, without the task and without what others have said. */
  instructions: string;
}

/** Why a text is no answer for anybody, whatever the task: in words, as in "the final agent wrote …"; undefined if it may be one. */
export function whyDebris(text: string, { instructions, task }: Occasion): string | undefined {
  if (!/\S/.test(text)) return 'nothing';
  if (withoutRepetition(text) !== undefined) return 'the same over and over';
  if (isEcho(text, instructions) || isNotice(text, instructions)) return 'nothing but words of its instructions';
  if (isTask(text, task)) return 'a task rather than an answer';
  if (marks.test(text) && !task.includes('<')) return 'the turns of a conversation';
  if (misspelt.test(text) && !task.includes('_')) return 'the name of a tool';
  const isOnTools = acts.test(text) || (talkOfTools.test(text) && text.length <= shortTalk / 2);
  const isAsked = acts.test(task) || /\btools?\b/i.test(task);
  return isOnTools && !isAsked && text.length <= shortTalk ? 'of its tools rather than of the task' : undefined;
}
