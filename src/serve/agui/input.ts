import { contentHasMedia, contentToText, type RunAgentInput, type UserMessage } from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import type { z } from 'zod';
import { checkedBy, problemText } from '../../config/problems.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { HttpProblem } from '../problems.ts';
import { resumedBy, type Resumed } from './interrupts.ts';

/** A request that was checked. */
export interface Asked {
  threadId: string;
  runId: string;
  resume: Resumed[];
  /** The person's last message; undefined where there is none. */
  last: UserMessage | undefined;
  /** Whether something has answered it already. */
  isAnswered: boolean;
  /** The last message, and what the application tells besides. */
  text: string;
  /** What was said before it. */
  history: EarlierMessage[];
}

/** Checks a request. @throws `HttpProblem`, which names the key and what is taken */
export function askedIn(body: unknown): Asked {
  // The package has a zod of its own.
  const checked = checkedBy(RunAgentInputSchema as unknown as z.ZodType<RunAgentInput>, body);
  if (!checked.ok) throw new HttpProblem(422, checked.problems.map((each) => problemText(each)).join('\n'));
  const { context, messages, resume = [], runId, threadId } = checked.value;
  for (const [key, value] of Object.entries({ threadId, runId }))
    if (value === '') throw new HttpProblem(422, `${key}: must not be empty`);
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[at] as UserMessage | undefined;
  if (last !== undefined && contentHasMedia(last.content))
    throw new HttpProblem(422, `messages[${at}].content: only texts are taken; POST /api/v1/runs takes files too`);
  const lines = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
  return {
    threadId,
    runId,
    resume: resume.map(resumedBy),
    last,
    isAnswered: messages.slice(at + 1).some(({ role }) => role === 'assistant'),
    text: [contentToText(last?.content), ...lines].join('\n\n').trim(),
    history: messages.slice(0, Math.max(0, at)).flatMap(earlierOf),
  };
}

/** What agents are told of an earlier message. What was thought, done by tools or shown is not said to them again. */
function earlierOf(message: RunAgentInput['messages'][number]): EarlierMessage[] {
  const { role } = message;
  if (role === 'tool' || role === 'activity' || role === 'reasoning') return [];
  const content = contentToText(message.content);
  return content.trim() === '' ? [] : [{ role: role === 'developer' ? 'system' : role, content }];
}
