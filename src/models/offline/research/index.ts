import type { Message, ToolSpec } from '../../../protocol/message.ts';
import { headings } from '../../../protocol/headings.ts';
import type { Library } from '../library.ts';
import type { Call } from '../uses.ts';
import { criticismOf } from './criticism.ts';
import { planFrom } from './planning.ts';
import { reportOn } from './report.ts';

/** What a role of a research submits, by the tool on offer; undefined where the messages are of no research. */
export function researchCall(messages: Message[], tools: ToolSpec[], library: Library): Call | undefined {
  const isDossier = ({ role, content }: Message): boolean =>
    role === 'user' && content.startsWith(headings.idea);
  const dossier = messages.findLast(isDossier)?.content;
  if (dossier === undefined) return undefined;
  for (const tool of tools) {
    const input = inputFor(tool, dossier, messages, library);
    if (input !== undefined) return { tool: tool.name, input: { ...input } };
  }
  return undefined;
}

function inputFor(
  tool: ToolSpec,
  dossier: string,
  messages: Message[],
  library: Library,
): object | undefined {
  if (tool.name === 'submit_plan') return planFrom(messages, library);
  if (tool.name === 'submit_criticism') return criticismOf(dossier, tool);
  return tool.name === 'submit_report' ? reportOn(dossier) : undefined;
}
