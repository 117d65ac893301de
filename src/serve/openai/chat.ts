import type { Context } from 'hono';
import { z } from 'zod';
import { bodyJson } from '../door.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { reserveStream } from '../streams.ts';
import { callOf, questionText, type AskingTool } from './asking.ts';
import { entries, requestIn } from './conversation.ts';
import { checked, common, failedChunk, offeredIn, RunFailed, sift } from './parameters.ts';
import { idOf, markOf, type Place } from './places.ts';
import { begin, endingOf, follow, isEnd, orFailed, usageOf, type Step } from './runs.ts';

const body = common.extend({
  messages: entries,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

/** `POST /v1/chat/completions` */
export async function chat(served: Served, c: Context<ServeEnv>): Promise<Response> {
  const { messages, ...asked } = checked(body, await bodyJson(c));
  const { model, stream, stream_options: options } = asked;
  const part = { tools: offeredIn(asked), markOf: (place: Place) => markOf(served.owner, place) };
  sift(c, asked);
  const request = requestIn(messages, served.owner, 'messages');
  // A run that was begun for nobody would be begun again.
  const reserved = stream ? reserveStream(c) : undefined;
  const place = await begin(served, c, request, model).catch((error: unknown) => {
    reserved?.release();
    throw error;
  });
  c.header('x-reprise-run', place.run);
  const created = Math.floor(Date.now() / 1000);
  const about = (object: string, step?: Step) => ({
    id: idOf('chatcmpl', place),
    object,
    created,
    model,
    metadata: { run_id: place.run, ...(step?.type === 'answered' && { outcome: step.outcome }) },
  });
  if (reserved === undefined) {
    let reasoning_content = '';
    for await (const step of follow(served, place, c.req.raw.signal)) {
      if (step.type === 'failed') throw new RunFailed(step.message);
      const { delta, finish: finish_reason } = deltaOf(step, place, part);
      reasoning_content += delta.reasoning_content ?? '';
      if (!isEnd(step)) continue;
      const message = { role: 'assistant', content: null, refusal: null, reasoning_content, ...delta };
      const choices = [{ index: 0, message, logprobs: null, finish_reason }];
      return c.json({ ...about('chat.completion', step), choices, ...usageIn(step) });
    }
    throw new HttpProblem(503, 'This server ends; send the request again with its Idempotency-Key');
  }
  return reserved.stream(async function* (signal) {
    const chunk = (delta: object, finish_reason: string | null = null, step?: Step) => {
      const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
      const usage = options?.include_usage ? { usage: null } : {};
      return { data: JSON.stringify({ ...about('chat.completion.chunk', step), choices, ...usage }) };
    };
    yield chunk({ role: 'assistant', content: '' });
    for await (const step of orFailed(follow(served, place, signal))) {
      const { delta, finish } = deltaOf(step, place, part);
      if (step.type !== 'failed') yield chunk(delta, null, step);
      else yield { data: JSON.stringify(failedChunk(step.message)) };
      if (finish !== null) yield chunk({}, finish, step);
      const usage = options?.include_usage ? usageIn(step) : undefined;
      if (usage) yield { data: JSON.stringify({ ...about('chat.completion.chunk', step), choices: [], ...usage }) };
    }
    yield { data: '[DONE]' };
  });
}

/** What tells of a question: the tools by which the client may be asked, and what makes the next message its answer. */
interface Asking {
  tools: AskingTool[];
  markOf: (place: Place) => string;
}

export function deltaOf(step: Step, { run }: Place, { markOf, tools }: Asking) {
  if (step.type === 'asked') {
    const place = { run, seq: step.seq };
    const call = callOf(step.asked, tools);
    const text = questionText(step.asked, markOf(place));
    if (call === undefined) return { delta: { content: text }, finish: 'stop' };
    const tool_calls = [{ index: 0, id: idOf('call', place), type: 'function', function: call }];
    return { delta: { tool_calls }, finish: 'tool_calls' };
  }
  if (step.type === 'answered')
    return { delta: { content: step.answer }, finish: endingOf(step.outcome) === 'completed' ? 'stop' : 'length' };
  return { delta: { reasoning_content: step.type === 'failed' ? '' : `${step.text}\n` }, finish: null };
}

const usageIn = (step: Step) =>
  step.type === 'answered' && step.usage ? { usage: usageOf(step.usage, 'prompt', 'completion') } : undefined;
