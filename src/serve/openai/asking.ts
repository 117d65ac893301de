import { RunNotOpenError, type Reprise } from '../../client.ts';
import { askedText, type PendingQuestion } from '../../protocol/questions.ts';
import { decisionIn } from '../../protocol/tools/permissions.ts';
import { HttpProblem } from '../problems.ts';

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
    // Words that go on say why: what is stopped cannot be taken up again.
    const [, action] = /^(accept|stop)[.!]?$/i.exec(said) ?? [];
    if (action === undefined) return run.requestRestart(said || 'A person wants another plan', said);
    return run.decide({ action: action.toLowerCase() as 'accept' | 'stop' });
  };
  try {
    await act();
  } catch (error) {
    if (!(error instanceof RunNotOpenError)) throw error;
  }
}
