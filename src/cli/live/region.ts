import colors from 'picocolors';
import type { AgentState } from '../../messages/events.ts';
import type { OrchestrationState } from '../../messages/state.ts';

const marks: Record<AgentState, string> = {
  waiting: '·',
  answering: '✎',
  answered: '✓',
  voting: '✎',
  voted: '✓',
  out: '✗',
  'timed out': '✗',
};

/**
 * What is going on at this moment: one line for each agent, with the end of the text that it is writing,
 * and one with attempt, time, calls, tokens and cost.
 *
 * @param texts what each agent has written so far
 * @param columns width of the terminal; no line is longer
 */
export function drawRegion(
  { agents, attempt, maxAttempts, phase, selectedAgent, usage }: OrchestrationState,
  texts: Map<string, string>,
  seconds: number,
  columns: number,
): string {
  const width = Math.max(...agents.map(({ id }) => id.length), 0);
  const lines = agents.map(({ id, state }) => {
    const isFinal = id === selectedAgent && ['deciding', 'presenting', 'evaluating'].includes(phase);
    const doing = isFinal ? phase : state;
    const head = `  ${isFinal ? '✎' : marks[state]} ${id.padEnd(width)}  ${doing.padEnd(10)} `;
    const room = columns - head.length - 1;
    return head + colors.dim(endOf(texts.get(id) ?? '', room));
  });
  const spent =
    usage === null
      ? ''
      : `, ${usage.calls} calls, ${usage.inputTokens + usage.outputTokens} tokens, $${usage.costUsd.toFixed(4)}`;
  const summary = `  attempt ${attempt}/${maxAttempts}, ${seconds.toFixed(0)} s${spent}`;
  return ['', ...lines, colors.bold(summary.slice(0, columns - 1))].join('\n');
}

/** The last characters of a text on one line. */
function endOf(text: string, room: number): string {
  const line = text.replace(/\\n|\s+/g, ' ').trim();
  if (room <= 1) return '';
  return line.length <= room ? line : `…${line.slice(-(room - 1))}`;
}
