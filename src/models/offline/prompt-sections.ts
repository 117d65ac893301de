import { callsIn, type Message } from '../../protocol/message.ts';
import { taggedIn, headings } from '../../protocol/headings.ts';
import { isObject, parsedJson } from '../../util/values.ts';

export interface Prompt {
  persona: string;
  task: string;
  instructions: string;
  /** The person's message before the task. */
  before: string;
  /** The newest answer of each agent that is shown. */
  answers: Array<{ name: string; content: string }>;
  selected: string | undefined;
  presented: string | undefined;
  toolResults: ToolResult[];
  /** Of another agent, if this agent is the shadow that responds to it. */
  question: { text: string; isBrief: boolean } | undefined;
}

const names = Object.values(headings)
  .join('|')
  .replaceAll('*', String.raw`\*`);

const headingLine = new RegExp(`^(${names})(?: .*)?$`, 'gm');

/** By their headings. Of two with the same heading the first counts. */
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

/** How a message begins that tells an agent something it need not act on. */
const aside = '[INFO] While you were working,';

export function readPrompt(messages: Message[]): Prompt {
  const texts = messages.flatMap(({ content, role }) =>
    role === 'user' && !content.startsWith(aside) ? [content] : [],
  );
  const question = texts.at(-1)?.startsWith(headings.question) ? promptSections(texts.pop() ?? '') : undefined;
  const isOpening = (text: string): boolean => text.startsWith(headings.task);
  const place = texts.some(isOpening) ? texts.findLastIndex(isOpening) : texts.length - 1;
  const opening = texts[place] ?? '';
  const sections = promptSections(opening);
  const shown = texts.slice(place).join('\n\n');
  const [first] = messages;
  return {
    persona: first?.role === 'system' ? first.content : '',
    task: sections.get(headings.task) ?? opening,
    instructions: sections.get(headings.instructions)?.split('\n\n')[0] ?? '',
    before: texts[place - 1] ?? '',
    answers: newestIn(shown),
    selected: /^Selected: (\S+)$/m.exec(shown)?.[1],
    presented: taggedIn(sections.get(headings.finalAnswer) ?? '')[0]?.content,
    toolResults: toolResultsIn(messages.slice(messages.findLastIndex(({ content }) => content === opening))),
    question: question && {
      text: question.get(headings.question) ?? '',
      isBrief: /\bbrief\b/i.test(question.get(headings.howToRespond) ?? ''),
    },
  };
}

function newestIn(text: string): Prompt['answers'] {
  // What stands by itself is no answer to choose.
  const named = taggedIn(text).filter(({ name }) => name !== '');
  const newest = new Map(named.map(({ content, name }) => [name, content]));
  return [...newest].map(([name, content]) => ({ name, content }));
}

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

export type ToolResult = Call & { result: string };

export function toolResultsIn(messages: Message[]): ToolResult[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content]] : [])),
  );
  return messages.flatMap(callsIn).flatMap(({ id, name, arguments: text }) => {
    const result = results.get(id);
    const input = parsedJson(text);
    return result === undefined || !isObject(input) ? [] : [{ tool: name, input, result }];
  });
}

export function oneLine(text: string, most = Infinity): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length <= most ? line : `${line.slice(0, most).replace(/\s+\S*$/, '')}…`;
}
