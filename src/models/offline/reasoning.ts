import type { Message } from '../../protocol/message.ts';
import type { Library } from './library.ts';
import type { Prompt } from './prompt.ts';
import { readQuestion } from './question.ts';
import { isFor, linesOf, type Use } from './uses.ts';

/** What the model is about to do, as a thought of the loop `react`. */
export function thoughtOn({ task, answers, uses }: Prompt, library: Library): string {
  if (answers.length > 0) return 'I compare the answers by the words of the question that they hold.';
  const open = openParts(task, uses);
  if (open.length === 0) return 'Tools have told on every part of the question: I answer.';
  return `I look up ${quoted(open)}: with a tool that fits, else in ${library.name}.`;
}

/** What its last calls have told, as an observation of that loop; undefined where there were none. */
export function observationOn({ task, asks, uses }: Prompt, messages: Message[]): string | undefined {
  const calls = messages.findLast((message) => message.role === 'assistant')?.toolCalls ?? [];
  const asked = asks.slice(asks.length - calls.filter(({ name }) => name === 'ask_others').length);
  const told = [
    ...asked.map(({ question, result }) => `To "${question}" ${responses(result?.responses.length ?? 0)}.`),
    ...uses.slice(uses.length - (calls.length - asked.length)).map(said),
  ];
  if (told.length === 0) return undefined;
  const open = uses.length === 0 ? [] : openParts(task, uses);
  return [...told, ...(open.length === 0 ? [] : [`Tools have not told on ${quoted(open)}.`])].join('\n');
}

/** Where an answer's sentences come from: the folder, unless tools have told on all parts, and these tools. */
export function sourcesOf({ task, uses }: Prompt, library: Library): string {
  const tools = [...new Set(uses.map(({ tool }) => `what ${tool} returned`))];
  const folder = openParts(task, uses).length === 0 ? [] : [library.name];
  return [...folder, ...tools].join(' and ');
}

function said(use: Use): string {
  const verb = /^(?:Error|Exception): /.test(use.result) ? 'failed' : 'returned';
  return `${use.tool} ${verb}: ${linesOf(use).join('; ')}`;
}

const openParts = (task: string, uses: Use[]): string[] =>
  readQuestion(task).parts.filter((part) => !uses.some((use) => isFor(part, use)));

const quoted = (parts: string[]): string => parts.map((part) => `"${part}"`).join(' and ');

function responses(count: number): string {
  if (count === 0) return 'nobody has responded';
  return count === 1 ? 'there is one response' : `there are ${count} responses`;
}
