import type { Message } from '../../protocol/message.ts';
import { answerClosing, headings } from '../../protocol/headings.ts';
import { isFinalAnswer, withoutMarker } from '../../workflows/agent/react.ts';
import { asksIn, type Ask } from './heard.ts';
import { phaseOf } from './phase.ts';
import { usesIn, type Use } from './uses.ts';

/** The parts of a prompt that the offline model acts on. */
export interface Prompt {
  persona: string;
  task: string;
  /** What a restart asked for; empty in a first attempt. */
  instructions: string;
  /** What the person said before the task. */
  conversation: string;
  /** What was answered before the task. */
  earlier: string[];
  /** The answers shown, the newest of each name. */
  answers: Array<{ name: string; content: string }>;
  /** Name under which the selected answer stands. */
  selected: string | undefined;
  /** An answer that was presented already. */
  presented: string | undefined;
  /** What it has asked others, and what came of it. */
  asks: Ask[];
  /** What it has looked up with tools since the task, and what came of it. */
  uses: Use[];
  /** The question of another agent that it is to respond to, as its shadow. */
  question: PutQuestion | undefined;
}

export interface PutQuestion {
  text: string;
  /** Whether the response is to be brief. */
  brief: boolean;
}

/** What an agent is told for its awareness is nothing to act on. */
const aside = '[INFO] While you were working,';

export function readPrompt(messages: Message[]): Prompt {
  const users = messages
    .filter(({ role, content }) => role === 'user' && !content.startsWith(aside))
    .map(({ content }) => content);
  const last = users.at(-1) ?? '';
  const isShadow = last.startsWith(headings.question);
  if (isShadow) users.pop();
  const opening = users.findLast((text) => text.startsWith(headings.task)) ?? users.at(-1) ?? '';
  const { task, restart } = splitOpening(opening);
  const everything = users.join('\n\n');
  const place = messages.findLastIndex(({ content }) => content === opening);
  const before = messages.slice(0, place);
  const [first] = messages;
  return {
    persona: first?.role === 'system' ? first.content : '',
    task,
    instructions: after(restart, headings.instructions).split('\n\n')[0]?.trim() ?? '',
    conversation: before.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n\n'),
    earlier: answersOf(before),
    answers: answersIn(everything),
    selected: /^Selected: (\S+)$/m.exec(everything)?.[1],
    presented: presentedIn(everything),
    asks: asksIn(messages),
    uses: usesIn(messages.slice(place)),
    question: isShadow ? questionIn(last) : undefined,
  };
}

/** What was said in a conversation as an answer: not the thoughts on the way to it. */
function answersOf(messages: Message[]): string[] {
  return messages.flatMap(({ role, content }, index) => {
    if (role !== 'assistant') return [];
    if (isFinalAnswer(content)) return [withoutMarker(content)];
    return phaseOf(messages.slice(0, index), false) === undefined ? [content] : [];
  });
}

function questionIn(text: string): PutQuestion {
  const [put, guidance] = splitAt(text, `\n\n${headings.howToRespond}`);
  return { text: after(put, '\n\n').trim(), brief: /\bbrief\b/i.test(guidance) };
}

function splitOpening(opening: string): { task: string; restart: string } {
  const text = opening.startsWith(headings.task) ? opening.slice(headings.task.length) : opening;
  const [task, restart] = splitAt(text, headings.previousAttempts);
  const ends = [headings.answers, headings.finalAnswer].map((heading) => task.indexOf(`\n\n${heading}\n`));
  const end = Math.min(...ends.map((place) => (place === -1 ? task.length : place)));
  return { task: task.slice(0, end).trim(), restart };
}

function splitAt(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return place === -1 ? [text, ''] : [text.slice(0, place), text.slice(place + mark.length)];
}

const after = (text: string, mark: string): string => splitAt(text, mark)[1];

function answersIn(text: string): Prompt['answers'] {
  const newest = new Map<string, string>();
  const pattern = new RegExp(`<answer agent="([^"]+)"[^>]*>\\n([\\s\\S]*?)\\n${answerClosing}`, 'g');
  for (const [, name = '', content = ''] of text.matchAll(pattern)) newest.set(name, content);
  return [...newest].map(([name, content]) => ({ name, content }));
}

function presentedIn(text: string): string | undefined {
  const [, rest] = splitAt(text, `${headings.finalAnswer}\n`);
  return rest === '' ? undefined : rest.split(`\n\n${headings.decision}`)[0]?.trim();
}
