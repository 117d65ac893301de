import type { Message, ToolSpec } from '../../../protocol/message.ts';
import type { Library } from '../library.ts';
import { phaseOf } from '../phase.ts';
import { readQuestion } from '../question.ts';
import { callsIn, nextCall, returnedOn, usesIn } from '../uses.ts';
import { nothingOn, withoutForm } from './form.ts';
import { readTool } from './file-shelves.ts';
import { readSubtask, type SubtaskBrief } from './reading.ts';
import { openingOn } from './statement.ts';
import type { Step } from './step.ts';
import { queryTool } from './tables.ts';
import { tableStep } from './table-step.ts';
import { textStep } from './text-step.ts';

/** Reprise's own tools are used as their work demands; others where they plainly fit. */
const own = new Set(['list_attachments', readTool, queryTool, 'save_file', 'calculate', 'finish_subtask']);

/** What the agent of a subtask does next: a call, or what it has to say where it has no tools. */
export function workOn(messages: Message[], place: number, tools: ToolSpec[], library: Library) {
  const brief = readSubtask(messages[place]?.content ?? '');
  const since = messages.slice(place);
  const { parts } = readQuestion(withoutForm(brief.description));
  const steps = parts.map((part) => stepOn(part, brief, since, tools, library));
  const call = steps.flatMap((step) => ('call' in step ? [step.call] : []))[0];
  const phase = phaseOf(messages, tools.length > 0);
  const words = call === undefined ? 'I have what there is to say.' : `I use ${call.tool}.`;
  if (phase === 'thought' || phase === 'observation') return words;
  const finish = finishOf(parts, steps);
  const isOffered = (name: string): boolean => tools.some((tool) => tool.name === name);
  if (call !== undefined && isOffered(call.tool)) return phase === 'action' ? { ...call, words } : call;
  return isOffered('finish_subtask') ? { tool: 'finish_subtask', input: finish } : textOf(finish);
}

/** What a part wants next: a tool that plainly fits, a table, a text. */
function stepOn(
  part: string,
  brief: SubtaskBrief,
  messages: Message[],
  tools: ToolSpec[],
  library: Library,
): Step {
  const isOffered = (name: string): boolean => tools.some((tool) => tool.name === name);
  const others = tools.filter(({ name }) => !own.has(name));
  const uses = usesIn(messages).filter(({ tool }) => !own.has(tool));
  const call = nextCall([part], uses, others);
  if (call !== undefined) return { call };
  const returned = returnedOn(part, uses);
  if (returned !== undefined) {
    return {
      line: openingOn(part) + returned.sentences.map(({ place, text }) => `${text} (${place})`).join(' '),
    };
  }
  const calls = callsIn(messages);
  const known = isOffered(queryTool) || calls.some(({ tool }) => tool === queryTool);
  const step = known ? tableStep(part, brief.attachments, brief.results, calls) : undefined;
  return step ?? textStep(part, brief, calls, isOffered(readTool), library);
}

interface Finish {
  status: 'completed' | 'failed';
  result?: string;
  reason?: string;
}

/** It has failed where nothing was found on any part; else the result names the parts on which nothing was. */
function finishOf(parts: string[], steps: Step[]): Finish & Record<string, unknown> {
  const lines = steps.map((step, index) => {
    if ('line' in step) return step.line;
    return nothingOn(parts[index] ?? '', 'missing' in step ? step.missing : undefined);
  });
  if (steps.some((step) => 'line' in step)) return { status: 'completed', result: lines.join('\n') };
  return { status: 'failed', reason: lines.join('\n') };
}

const textOf = ({ reason = '', result }: Finish): string => result ?? reason;
