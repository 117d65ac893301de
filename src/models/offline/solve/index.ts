import type { Message, ToolSpec } from '../../../protocol/message.ts';
import type { Library } from '../library.ts';
import type { Call } from '../uses.ts';
import { answerFrom, validationOf } from './answering.ts';
import { analysisOf, planOf } from './planning.ts';
import { isAnswerBrief, isSubtask, opensProblem } from './reading.ts';
import { workOn } from './subtask.ts';

/**
 * What a role does in solving a problem, by the tool on offer and the message that it works from: a call, or a text.
 * Undefined where the messages are of nothing like that.
 */
export function solveAct(
  messages: Message[],
  tools: ToolSpec[],
  library: Library,
): (Call & { words?: string }) | string | undefined {
  const place = messages.findLastIndex(({ role, content }) => role === 'user' && opensProblem(content));
  if (place === -1) return undefined;
  const brief = messages[place]?.content ?? '';
  if (isSubtask(brief)) return workOn(messages, place, tools, library);
  const last = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  for (const { name } of tools) {
    const input = inputFor(name, brief, last);
    if (input !== undefined) return { tool: name, input: { ...input } };
  }
  return tools.length === 0 && isAnswerBrief(brief) ? answerFrom(brief) : undefined;
}

function inputFor(tool: string, brief: string, last: string): object | undefined {
  if (tool === 'submit_analysis') return analysisOf(brief);
  if (tool === 'submit_plan') return planOf(brief, last);
  return tool === 'submit_validation' ? validationOf(brief) : undefined;
}
