import { wordsShared } from '../../util/text/words.ts';
import { returnedOn } from './loops.ts';
import type { Call, Prompt, ToolResult } from './prompt-sections.ts';
import { named, nothingOn, partsOf, quotesOn, saysNothing, type TextIndex } from './retrieval.ts';
import { linesOn } from './topics.ts';
import type { BroadcastResult } from '../../protocol/questions.ts';
import { parsedJson } from '../../util/values.ts';

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
function toldFirst({ persona, toolResults }: Prompt): string[] {
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

export type Action = Call & { words?: string };

const alsoAnswer = 'Also answer:';

/** A question that refers to the one before it, by how it begins or by a pronoun. */
const following = /^(?:and|but|so|then|what about|how about)\b|\b(?:its?|they|them|their|he|him|his|she|her)\b/i;

/** The parts of a task. A persona that is to be brief answers only the first, until a restart asks for more. */
export function partsToAnswer({ instructions, persona, task }: Prompt): string[] {
  const parts = partsOf(task);
  if (instructions !== '') return [...new Set([...parts, ...partsOf(instructions.replace(alsoAnswer, ''))])];
  return /\b(?:brief|one sentence|short|terse|concise|few words)\b/i.test(persona) ? parts.slice(0, 1) : parts;
}

function foundOn(part: string, { before, task, toolResults }: Prompt, texts: TextIndex): string[] {
  const context = following.test(task) ? `${task} ${before}` : task;
  const returned = returnedOn(part, toolResults);
  return returned.length > 0 ? returned : linesOn(part, texts, context, following.test(task) ? before : '');
}

export function answerTo(prompt: Prompt, texts: TextIndex): string {
  const lines = partsToAnswer(prompt).flatMap((part) => {
    const found = foundOn(part, prompt, texts);
    return found.length > 0 ? found : nothingOn(part, texts.name);
  });
  return [...new Set([...lines, ...toldFirst(prompt)])].join('\n');
}

/** Ends each final answer, so nobody takes it for more than it is. */
export const remark = (source: string): string =>
  `(The offline model quotes ${source}. It is no language model, and has judged nothing.)`;

export function presentation({ answers, selected }: Prompt, texts: TextIndex): string {
  const chosen = answers.find(({ name }) => name === selected) ?? answers[0];
  return `${chosen?.content ?? ''}\n\n${remark(texts.name)}`;
}

/** Votes for the answer with the most quotations. Of equals the longest wins, then the first. */
export function vote({ answers }: Prompt): Action {
  const [best] = answers
    .map(({ content, name }) => ({ name, length: content.length, quotations: quotationsIn(content) }))
    .sort((one, other) => other.quotations - one.quotations || other.length - one.length);
  const rule = best?.quotations ? 'the answer that quotes most' : 'no answer quotes anything, this is the longest';
  return {
    tool: 'vote',
    input: { agent_id: best?.name ?? '', reason: `offline model: ${rule}, not a judgement` },
  };
}

/** Submits, unless the answer leaves out a part of the task on which a sentence is found. */
export function decide(prompt: Prompt, texts: TextIndex): Action {
  const { answers, presented, selected, task } = prompt;
  const answer = presented ?? answers.find(({ name }) => name === selected)?.content ?? '';
  const missing = partsOf(task).filter((part) => {
    const isSpokenOf = answer.includes(named(part)) || wordsShared(part, answer) >= 0.5;
    const found = foundOn(part, prompt, texts);
    return !isSpokenOf && found.length > 0 && !found.some((line) => answer.includes(line));
  });
  if (missing.length === 0) {
    const words = 'Offline model: no sentence was found that the answer leaves out. Nothing was judged.';
    return { tool: 'submit', input: { confirmed: true }, words };
  }
  const parts = missing.map((part) => `"${named(part)}"`).join(' and ');
  return {
    tool: 'restart_orchestration',
    input: {
      reason: `offline model: the answer leaves out ${parts}, on which a sentence was found; looked up, not judged`,
      instructions: `${alsoAnswer} ${missing.join('; ')}`,
    },
  };
}

const quotationsIn = (answer: string): number =>
  answer.split('\n').filter((line) => /^[^(].* \([^()]+\)$/.test(line) && !saysNothing(line)).length;
