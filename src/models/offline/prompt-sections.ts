import type { Message } from '../../protocol/message.ts';
import { answerClosing, headings } from '../../protocol/headings.ts';

/** The parts of a prompt that the offline model acts on. */
export interface Prompt {
  persona: string;
  task: string;
  /** What a restart asks for; empty in a first attempt. */
  instructions: string;
  /** What the person said last before the task; empty at the beginning. */
  before: string;
  /** The answers shown, the newest of each name. */
  answers: Array<{ name: string; content: string }>;
  /** Name under which the selected answer stands. */
  selected: string | undefined;
  /** An answer that was presented already. */
  presented: string | undefined;
  /** The calls since the task that have results. */
  toolResults: ToolResult[];
  /** The question of another agent, where this is that agent's shadow. */
  question: { text: string; isBrief: boolean } | undefined;
}

const names = Object.values(headings)
  .join('|')
  .replaceAll('*', String.raw`\*`);

const headingLine = new RegExp(`^(${names})(?: .*)?$`, 'gm');

/** The parts of a message by their headings; of two parts with one heading the first counts. */
export function promptSections(message: string): Map<string, string> {
  const found = [...message.matchAll(headingLine)];
  const first = found.filter((each, place) => found.findIndex(([, name]) => name === each[1]) === place);
  return new Map(
    first.map((each, place) => [
      each[1] ?? '',
      message.slice(each.index + each[0].length, first[place + 1]?.index).trim(),
    ]),
  );
}

/** What an agent is told for its awareness is nothing to act on. */
const aside = '[INFO] While you were working,';

export function readPrompt(messages: Message[]): Prompt {
  const told = messages.flatMap(({ content, role }) =>
    role === 'user' && !content.startsWith(aside) ? [content] : [],
  );
  const question = told.at(-1)?.startsWith(headings.question) ? promptSections(told.pop() ?? '') : undefined;
  const isOpening = (text: string): boolean => text.startsWith(headings.task);
  const place = told.some(isOpening) ? told.findLastIndex(isOpening) : told.length - 1;
  const opening = told[place] ?? '';
  const sections = promptSections(opening);
  const shown = told.slice(place).join('\n\n');
  const [first] = messages;
  return {
    persona: first?.role === 'system' ? first.content : '',
    task: sections.get(headings.task) ?? opening,
    instructions: sections.get(headings.instructions)?.split('\n\n')[0] ?? '',
    before: told[place - 1] ?? '',
    answers: answersIn(shown),
    selected: /^Selected: (\S+)$/m.exec(shown)?.[1],
    presented: sections.get(headings.finalAnswer),
    toolResults: toolResultsIn(messages.slice(messages.findLastIndex(({ content }) => content === opening))),
    question: question && {
      text: question.get(headings.question) ?? '',
      isBrief: /\bbrief\b/i.test(question.get(headings.howToRespond) ?? ''),
    },
  };
}

function answersIn(text: string): Prompt['answers'] {
  const pattern = new RegExp(`<answer agent="([^"]+)"[^>]*>\\n([\\s\\S]*?)\\n${answerClosing}`, 'g');
  const newest = new Map([...text.matchAll(pattern)].map(([, name = '', content = '']) => [name, content]));
  return [...newest].map(([name, content]) => ({ name, content }));
}

/** A call of a tool. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** A call, and what came of it. */
export type ToolResult = Call & { result: string };

/** The calls of a conversation that have results, in order. */
export function toolResultsIn(messages: Message[]): ToolResult[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content]] : [])),
  );
  return messages
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .flatMap(({ id, name, arguments: text }) => {
      const result = results.get(id);
      const input = parsed(text);
      if (result === undefined || typeof input !== 'object' || input === null) return [];
      return [{ tool: name, input: input as ToolResult['input'], result }];
    });
}

/** Undefined: no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Text on one line, without a final full stop, up to the last word that fits. */
export function oneLine(text: string, most = Infinity): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length <= most ? line : `${line.slice(0, most).replace(/\s+\S*$/, '')}…`;
}
