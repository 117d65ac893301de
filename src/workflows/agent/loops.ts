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
import { react } from './react.ts';
import type { OrchestratorSettings, SimpleToolSettings } from '../../protocol/settings.ts';

/** The settings of Reprise's own loops. A custom orchestrator is run by `CustomTurn`. */
export type LoopSettings = Exclude<OrchestratorSettings, { kind: 'custom' }>;

export const loopOf = (settings: LoopSettings): Loop =>
  settings.kind === 'react' ? react(settings) : simpleTool(settings);

/**
 * The loop `simple_tool` (xaibo's documentation, SimpleToolOrchestrator): the model replies and its tool calls are run,
 * until a reply calls none. Each failed call raises the temperature, and the last reply may call no tools other than those
 * that end the turn. An agent that keeps to a call which is refused has its last reply at once.
 */
function simpleTool({ max_thoughts, parallel }: SimpleToolSettings): Loop {
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

/**
 * The temperature after so many failed tool calls: 0.1 for each (xaibo's documentation, Stress Management), up to the
 * highest that providers accept.
 */
export const temperatureAfter = (failures: number): number => Math.min(2, Math.round(failures) / 10);
