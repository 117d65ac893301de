import { type Reprise, RunNotOpenError } from '../../client.ts';
import { askedText, type PendingQuestion } from '../../protocol/questions.ts';
import { decisionIn } from '../../protocol/tools/permissions.ts';
import { HttpProblem } from '../problems.ts';
import { isMac, macOf } from '../../trust/mac.ts';

export type Asked = Pick<PendingQuestion, 'kind' | 'questionId' | 'from' | 'question' | 'tool' | 'arguments'>;

/** The tools by which a client may be asked, where it offers them: what a person is to say is the tool's result. */
const tools = {
  answer_question: 'Ask a person, and return the answer in their words; an empty one skips the question.',
  approve_tool_call: 'Ask a person whether a tool may run, and return: yes, always, no, or no: REASON.',
};

export type AskingTool = keyof typeof tools;

export const askingTools = Object.keys(tools) as AskingTool[];

export const isAskingTool = (name: unknown): name is AskingTool => (askingTools as unknown[]).includes(name);

const names = ['question_id', 'kind', 'from', 'question', 'tool', 'arguments'];
const parameters = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };

export const definitionOf = (name: AskingTool) => ({
  type: 'function' as const,
  name,
  description: tools[name],
  parameters,
  strict: false,
});

/** The call by which a client is asked; undefined where it does not offer the tool for it. */
export function callOf(asked: Asked, offered: AskingTool[]): { name: AskingTool; arguments: string } | undefined {
  const name = asked.kind === 'tool' ? 'approve_tool_call' : 'answer_question';
  if (!offered.includes(name)) return undefined;
  const { arguments: given, from, kind, question, questionId: question_id, tool } = asked;
  return { name, arguments: JSON.stringify({ question_id, kind, from, question, tool, arguments: given }) };
}

const ways: Record<Asked['kind'], string> = {
  question: 'Your next message is the answer.',
  tool: 'Your next message decides: yes, always, no, or no: REASON.',
  approval: 'Your next message decides: accept, stop, or why it is to be planned anew.',
  key: 'The run goes on once a worker has it; "skip" as your next message goes on without it. Never send a key here.',
};

/** A question as text, with how it is answered. @param mark what tells the next message as its answer */
export const questionText = (asked: Asked, mark: string): string =>
  [`${asked.from}: ${askedText(asked)}`, ways[asked.kind], mark].join('\n\n');

/**
 * Sends to a run what a person has said. Where it waits no longer nothing happens: what became of it the run tells. @throws
 * `HttpProblem` where the words do not settle it
 */
export async function settle(reprise: Reprise, id: string, asked: Asked, words: string): Promise<void> {
  const { kind, questionId } = asked;
  const run = reprise.getResearch(id);
  const said = words.trim();
  const act = async (): Promise<void> => {
    if (kind === 'question') return run.answer({ questionId, answer: words });
    if (kind === 'tool') {
      const decision = decisionIn(said);
      if (decision === undefined) throw new HttpProblem(400, `This decides nothing. ${ways.tool}`);
      return run.approve({ id: questionId, ...decision });
    }
    if (kind === 'key') {
      if (said !== '' && !/^skip\W*$/i.test(said)) throw new HttpProblem(400, ways.key);
      return run.answer({ questionId, answer: '' });
    }
    const [action] = /^(?:accept|stop)\b/i.exec(said) ?? [];
    if (action === undefined) return run.requestRestart(said || 'A person wants another plan', said);
    return run.decide({ action: action.toLowerCase() as 'accept' | 'stop' });
  };
  try {
    await act();
  } catch (error) {
    if (!(error instanceof RunNotOpenError)) throw error;
  }
}

/**
 * Where the part of a run begins that one answer tells: behind the event of this number, which asked a person, or with 0 at the
 * beginning. All ids are made of it, so that any server finds what they name.
 */
export interface Place {
  run: string;
  seq: number;
}

type IdKind = 'chatcmpl' | 'resp' | 'msg' | 'rs' | 'fc' | 'call';

const textOf = ({ run, seq }: Place): string => (seq === 0 ? run : `${run}.${seq}`);

export const idOf = (kind: IdKind, place: Place): string => `${kind}_${textOf(place)}`;

/** The place that an id names; undefined where it is none of this kind. */
export const placeIn = (kind: IdKind, id: string): Place | undefined =>
  id.startsWith(`${kind}_`) ? placeOf(id.slice(kind.length + 1)) : undefined;

function placeOf(text: string): Place | undefined {
  const [, run, seq = '0'] = /^([\w-]{1,200})(?:\.([1-9]\d{0,8}))?$/.exec(text) ?? [];
  return run === undefined ? undefined : { run, seq: Number(seq) };
}

const marks = /\[reprise ([\w.-]+) ([\w-]+)\]/g;

/**
 * What a question that is told as text ends with, by which the next message is known as its answer: clients send back all that
 * was said. The MAC keeps a model from writing one.
 */
export const markOf = (owner: string, place: Place): string =>
  `[reprise ${textOf(place)} ${macOf(owner, ['asked', textOf(place)])}]`;

/** The place of the question that a text ends with; undefined where it is none. What a model has written comes before it. */
export function markedIn(owner: string, text: string): Place | undefined {
  const [, place = '', mac] = [...text.matchAll(marks)].at(-1) ?? [];
  return isMac(owner, ['asked', place], mac) ? placeOf(place) : undefined;
}

export function withoutMark(text: string): string {
  const bare = text.replaceAll(marks, '');
  return bare === text ? text : bare.trimEnd();
}
