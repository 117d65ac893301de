import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { PendingQuestion, Reprise } from '../../client.ts';
import { HttpProblem } from '../problems.ts';

type Kind = PendingQuestion['kind'];

/** What a person says to what waits: a decision, a text, or both. */
export interface Said {
  decision?: string | undefined;
  text?: string | undefined;
}

export const choices: Record<Kind, readonly [string, ...string[]]> = {
  question: ['skip'],
  key: ['skip'],
  tool: ['allow', 'always', 'deny'],
  approval: ['accept', 'stop', 'restart'],
};

/** What the form of an elicitation asks; absent for a key, which no form may ask for. */
export function formOf(kind: Kind, message: string): ElicitRequestFormParams | undefined {
  const text = (title: string) => ({ type: 'string' as const, title });
  const decision = { type: 'string' as const, title: 'Decision', enum: [...choices[kind]] };
  const properties = {
    question: { text: text('Answer (empty: skip)') },
    tool: { decision, text: text('Why not, where it is denied') },
    approval: { decision, text: text('Note, or what the restart is to do') },
    key: undefined,
  }[kind];
  if (properties === undefined) return undefined;
  const required = 'decision' in properties ? ['decision'] : [];
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required } };
}

const filled = z.object({
  action: z.string(),
  content: z.object({ decision: z.string().optional(), text: z.string().optional() }).default({}),
});

/** What a person has said by such a form; undefined where they have closed it, a restart has no text, or it is no such form. */
export function saidIn(kind: Kind, form: unknown): Said | undefined {
  const { data } = filled.safeParse(form);
  if (data === undefined) return undefined;
  const { action, content } = data;
  if (action === 'decline') return { question: { decision: 'skip' }, tool: { decision: 'deny' } }[kind as string];
  const { decision, text } = content;
  if (action !== 'accept' || (decision === 'restart' && !text)) return undefined;
  return kind === 'question' && !text ? { decision: 'skip' } : { decision, text };
}

/** Says it to the run. @throws `HttpProblem`, which says what may be said; `RunNotOpenError`; `AnswerTooLongError` */
export async function reply(
  reprise: Reprise,
  id: string,
  { kind, questionId, question }: PendingQuestion,
  { decision, text = '' }: Said,
): Promise<void> {
  const run = reprise.getRun(id);
  const isText = kind === 'question' && decision === undefined && text !== '';
  if (!isText && (decision === undefined || !choices[kind].includes(decision)))
    throw new HttpProblem(422, `${questionId} is settled by ${waysText(kind, question)}`);
  if (kind === 'question' || kind === 'key') return run.answer({ questionId, answer: isText ? text : '' });
  if (kind === 'tool') {
    const always = decision === 'always';
    const action = decision === 'deny' ? 'deny' : 'allow';
    const reason = action === 'deny' && text !== '' && { reason: text };
    return run.approve({ id: questionId, action, ...(always && { always }), ...reason });
  }
  const research = reprise.getResearch(id);
  if (decision !== 'restart')
    return research.decide({ action: decision === 'stop' ? 'stop' : 'accept', ...(text !== '' && { note: text }) });
  if (text === '') throw new HttpProblem(422, 'A restart has a text: what the next plan is to do otherwise');
  return research.requestRestart('A person asks for it', text);
}

function waysText(kind: Kind, question: string): string {
  const decision = `decision: ${choices[kind].join(', ')}`;
  if (kind === 'question') return `a text, or ${decision}`;
  return kind === 'key' ? `${decision}; it ${question} where its worker runs, and takes none from here` : decision;
}
