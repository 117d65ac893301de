import type { BroadcastResult } from '../../protocol/questions.ts';
import { parsedJson } from '../../util/values.ts';
import type { Prompt, ToolResult } from './prompt-sections.ts';
import { named, nothingOn, partsOf, quotesOn, saysNothing, type TextIndex } from './retrieval.ts';

const limits = { lines: 5, sentences: 3 };

/** A line that names its source: `The oven is hot. (bread.md:9)` */
const sourced = /^(.*\S) \(([^()]+:\d+)\)$/;

/** The question in a persona's line `Ask the others first: "…"` or `Ask a person first: "…"`. */
const firstQuestionIn = (persona: string): string | undefined =>
  /^[ \t]*Ask (?:the others|a person) first: "(.+)"[ \t]*$/m.exec(persona)?.[1];

const askOf = (question: string, toolResults: ToolResult[]): ToolResult | undefined =>
  toolResults.find(({ input, tool }) => tool === 'ask_others' && input['question'] === question);

export function questionFirst({ persona, toolResults }: Prompt): string | undefined {
  const question = firstQuestionIn(persona);
  return question === undefined || askOf(question, toolResults) !== undefined ? undefined : question;
}

/** Line by line, each with its author and the source that it names. */
export function toldFirst({ persona, toolResults }: Prompt): string[] {
  const question = firstQuestionIn(persona) ?? '';
  const ask = askOf(question, toolResults);
  if (ask === undefined) return [];
  // A refusal is not JSON.
  const result = parsedJson(ask.result) as Partial<BroadcastResult> | undefined;
  const { human_qa_history: earlier = [], responses = [] } = result ?? {};
  const said = responses.flatMap(({ content, is_human, responder_id }) =>
    linesOf(content, is_human ? 'a person' : responder_id),
  );
  const before = earlier.flatMap((each) =>
    linesOf(each.answer, 'a person').map((line) => `asked "${named(each.question)}" before: ${line}`),
  );
  const [first = 'those asked had no answer.', ...rest] = said.length > 0 ? said : before;
  return [`On "${named(question)}": ${first}`, ...rest];
}

const linesOf = (text: string, who: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !saysNothing(line))
    .slice(0, limits.lines)
    .map((line) => {
      const [, words = line.trim(), place] = sourced.exec(line) ?? [];
      return `${words} (${place === undefined ? who : `${who}, ${place}`})`;
    });

export function responseTo({ isBrief, text }: { isBrief: boolean; text: string }, texts: TextIndex): string {
  const parts = text.split(/(?<=[.!?])\s+/).flatMap(partsOf);
  const lines = new Set(parts.flatMap((part) => quotesOn(part, texts, text)));
  if (lines.size === 0) return nothingOn(text, texts.name);
  return [...lines].slice(0, isBrief ? 1 : limits.sentences).join('\n');
}
