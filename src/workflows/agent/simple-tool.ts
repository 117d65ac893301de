import { toolsUnavailable } from './prompts.ts';
import {
  announceEnd,
  lastChoice,
  noWords,
  replyOf,
  runCalls,
  runLastCalls,
  wholeAnswer,
  type Loop,
} from './loop-context.ts';
import type { SimpleToolSettings } from '../../protocol/settings.ts';

/**
 * The loop `simple_tool`: the model replies and its tool calls are run, until a reply calls none. Each failed call raises
 * the temperature by 0.1, and the last reply may call no tools other than those that end the turn (xaibo's documentation, SimpleToolOrchestrator).
 * An agent that keeps to a call which is refused has its last reply at once.
 */
export function simpleTool({ max_thoughts, parallel }: SimpleToolSettings): Loop {
  return async (context, text) => {
    const { agent, refusals } = context;
    agent.tell({ role: 'user', content: text });
    let failures = 0;
    let said = '';
    for (let thought = 1; ; thought++) {
      const isLast = thought === max_thoughts || refusals.end !== undefined;
      if (isLast) agent.tell({ role: 'system', content: toolsUnavailable(context.ending) });
      const options = { temperature: temperatureAfter(failures), ...(isLast && { choice: lastChoice(context) }) };
      const reply = await replyOf(context, 'reply', options);
      if (isLast || reply.calls.length === 0) {
        await runLastCalls(context, reply.calls);
        const { isCut, text } = await wholeAnswer(context, 'reply', reply, options);
        const why = refusals.end ?? outOfThoughts(max_thoughts);
        const last = text.trim() === '' ? said : text;
        if (last === '') context.warn(`${agent.persona.id} replied without any text`);
        const answer = last || (isLast ? `(No answer: ${why}.)` : noWords);
        context.say(answer, true);
        return { answer, limited: isLast, isCut };
      }
      said = reply.content.trim() === '' ? said : reply.content;
      const answers = await runCalls(context, reply.calls, parallel);
      failures += answers.filter(({ status }) => status !== 'ok').length;
      announceEnd(context, max_thoughts - 1 - thought, max_thoughts);
    }
  };
}

const outOfThoughts = (limit: number): string => `all ${limit} thoughts were used on tools, see max_thoughts`;

/** The highest temperature that providers accept. */
const highest = 2;

/** The temperature after so many failed tool calls: 0.1 for each (xaibo's documentation, Stress Management). */
export function temperatureAfter(failures: number): number {
  return Math.min(highest, Math.round(failures) / 10);
}
