import type { BroadcastResult } from '../../messages/broadcast.ts';
import { parsed, type Prompt, type Use } from './prompt-sections.ts';
import { named, nothingOn, partsOf, quotesOn, saysNothing, type TextIndex } from './retrieval.ts';

/** How many lines of one response are passed on, and how many sentences one has that is to be more than brief. */
const most = { lines: 5, sentences: 3 };

/** A response's line that names where it stands: `The oven is hot. (bread.md:9)` */
const sourced = /^(.*\S) \(([^()]+:\d+)\)$/;

/** What came of asking others, by the question; undefined: the call was refused in words. */
const asksIn = (uses: Use[]): Map<string, BroadcastResult | undefined> =>
  new Map(
    uses
      .filter(({ tool }) => tool === 'ask_others')
      .map(({ input, result }) => [String(input['question']), parsed(result) as BroadcastResult | undefined]),
  );

/** The question that a persona's line `Ask the others first: "…"` (or `Ask a person first: "…"`) puts. */
export function firstQuestionIn(persona: string): string | undefined {
  return /^[ \t]*Ask (?:the others|a person) first: "(.+)"[ \t]*$/m.exec(persona)?.[1];
}

/** A part of a task on which nothing was found, as a question for others. */
export const questionOn = (part: string): string => `What is known of this: ${named(part)}?`;

/**
 * What is still to be asked before answering: what the persona says, then the parts on which nothing was found, each once.
 * After a refusal, an error, or a timeout without any response nothing is.
 */
export function nextQuestion({ persona, uses }: Prompt, open: string[]): string | undefined {
  const asks = asksIn(uses);
  const isHopeless = [...asks.values()].some(
    (result) =>
      result === undefined ||
      result.status === 'error' ||
      (result.status === 'timeout' && result.responses.length === 0),
  );
  const wanted = [firstQuestionIn(persona) ?? [], ...open.map(questionOn)].flat();
  return isHopeless ? undefined : wanted.find((question) => !asks.has(question));
}

/** What those who were asked a question have said on it, each line with the one who said it, and the place they name. */
export function toldOn(part: string, question: string, uses: Use[]): string[] {
  const asks = asksIn(uses);
  if (!asks.has(question)) return [];
  const { human_qa_history: earlier = [], responses = [] } = asks.get(question) ?? {};
  const said = responses.flatMap(({ content, is_human, responder_id }) =>
    linesOf(content, is_human ? 'a person' : responder_id),
  );
  const before = earlier.flatMap((each) =>
    linesOf(each.answer, 'a person').map((line) => `asked "${named(each.question)}" before: ${line}`),
  );
  const [first = 'those asked had no answer.', ...rest] = said.length > 0 ? said : before;
  return [`On "${named(part)}": ${first}`, ...rest];
}

const linesOf = (text: string, who: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !saysNothing(line))
    .slice(0, most.lines)
    .map((line) => {
      const [, words = line.trim(), place] = sourced.exec(line) ?? [];
      return `${words} (${place === undefined ? who : `${who}, ${place}`})`;
    });

/** A shadow's response to another agent's question: sentences of its own texts, looked up for each sentence of it. */
export function responseTo({ isBrief, text }: { isBrief: boolean; text: string }, texts: TextIndex): string {
  const parts = text.split(/(?<=[.!?])\s+/).flatMap(partsOf);
  const lines = new Set(parts.flatMap((part) => quotesOn(part, texts.sentences, text)));
  if (lines.size === 0) return nothingOn(text, texts.name);
  return [...lines].slice(0, isBrief ? 1 : most.sentences).join('\n');
}
