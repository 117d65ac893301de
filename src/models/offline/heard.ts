import type { BroadcastResult } from '../../protocol/questions.ts';
import type { Message } from '../../protocol/message.ts';
import type { Finding } from './findings.ts';
import { coverage } from './judging.ts';

/** One call of `ask_others` and what came of it; no result: the call was refused. */
export interface Ask {
  question: string;
  result: BroadcastResult | undefined;
}

/** A question that was answered, by whom and with what. */
export interface Exchange {
  question: string;
  said: Array<{ who: string; text: string }>;
}

/** How a response begins that has nothing to say; those who asked pass it over. */
export const nothingFound = 'On that nothing was found';

const person = 'a person';

/** The share of a question's words that an exchange must hold to have answered it already. */
const enough = 0.6;

/** How many lines of one response are quoted. */
const mostLines = 5;

/** A response's line that names where it stands: `The oven is hot. (bread.md:9)` */
const sourced = /^(.*\S) \(([^()]+:\d+)\)$/;

/** How a shadow's conversation tells what came of its parent's question. */
const resultInWords = /^\[Result of ask_others:\]\n(.*)$/;

/** All that was asked in a conversation, in order; a shadow's parent's too, where the question itself is left out. */
export function asksIn(messages: Message[]): Ask[] {
  const calls = new Map<string, string>();
  return messages.flatMap((message): Ask[] => {
    if (message.role === 'assistant') {
      for (const { id, name, arguments: text } of message.toolCalls ?? []) {
        if (name === 'ask_others') calls.set(id, text);
      }
    }
    if (message.role === 'tool') {
      const call = calls.get(message.callId);
      return call === undefined ? [] : [{ question: questionOf(call), result: resultIn(message.content) }];
    }
    const result = message.role === 'user' ? resultInWords.exec(message.content)?.[1] : undefined;
    return result === undefined ? [] : [{ question: '', result: resultIn(result) }];
  });
}

/** What was said in all of it: responses, and what a person had answered before. */
export function exchangesIn(asks: Ask[]): Exchange[] {
  return asks
    .flatMap(({ question, result }): Exchange[] => [
      {
        question,
        said: (result?.responses ?? []).map(({ responder_id, content, is_human }) => ({
          who: is_human ? person : responder_id,
          text: content,
        })),
      },
      ...(result?.human_qa_history ?? []).map((earlier) => ({
        question: earlier.question,
        said: [{ who: person, text: earlier.answer }],
      })),
    ])
    .filter(({ said }) => said.length > 0);
}

/** Whether an exchange is about a question: the same one, or one that holds most of its words. */
export function isAbout(question: string, exchange: Exchange): boolean {
  // A person's answer is short and to the point; an agent's may hold the words of many questions.
  const answers = exchange.said.filter(({ who }) => who === person).map(({ text }) => text);
  const words = [exchange.question, ...answers].join('\n');
  return exchange.question === question || coverage(question, words) >= enough;
}

/** What was said on a question, line by line, each with its speaker, and the place that the speaker names. */
export function saidOn(question: string, exchanges: Exchange[]): Finding {
  const said = exchanges.filter((exchange) => isAbout(question, exchange)).flatMap((each) => each.said);
  return { part: question, sentences: said.flatMap((each) => linesOf(each).slice(0, mostLines)) };
}

/** The lines of one response that say something. */
export function linesOf({ who, text }: Exchange['said'][number]): Finding['sentences'] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith(nothingFound))
    .map((line) => {
      const [, words = line, place] = sourced.exec(line) ?? [];
      return { text: words, place: place === undefined ? who : `${who}, ${place}` };
    });
}

const questionOf = (json: string): string => String((JSON.parse(json) as { question?: unknown }).question);

function resultIn(content: string): BroadcastResult | undefined {
  try {
    const result = JSON.parse(content) as Partial<BroadcastResult> | null;
    return Array.isArray(result?.responses) ? (result as BroadcastResult) : undefined;
  } catch {
    // A refusal in words.
    return undefined;
  }
}
