import type { SimpleToolSettings } from '../../config/orchestrators.ts';
import { notRun, toolsUnavailable } from './prompts.ts';
import { temperatureAfter } from './stress.ts';
import { noWords, refuseCalls, replyOf, runCalls, type Loop } from './loop-context.ts';

/**
 * The loop `simple_tool`: reply, run the tools asked for, repeat. Each failed call raises the temperature by 0.1; the
 * last thought gets no tools (xaibo's documentation, SimpleToolOrchestrator).
 */
export function simpleTool({ max_thoughts, parallel }: SimpleToolSettings): Loop {
  return async (worker, text) => {
    const { agent, tools } = worker;
    agent.tell({ role: 'user', content: text });
    let failures = 0;
    let said = '';
    for (let thought = 1; ; thought++) {
      const isLast = thought === max_thoughts;
      if (isLast) agent.tell({ role: 'system', content: toolsUnavailable });
      const reply = await replyOf(worker, 'reply', isLast ? null : tools, temperatureAfter(failures));
      said = reply.content.trim() === '' ? said : reply.content;
      if (isLast || reply.calls.length === 0) {
        refuseCalls(worker, reply.calls, notRun);
        const answer = said || (isLast ? outOfThoughts(max_thoughts) : noWords);
        worker.say(answer, true);
        return { answer, limited: isLast };
      }
      const answers = await runCalls(worker, reply.calls, parallel);
      failures += answers.filter(({ status }) => status !== 'ok').length;
    }
  };
}

const outOfThoughts = (limit: number): string =>
  `(No answer: all ${limit} thoughts were used on tools, see max_thoughts.)`;
