import cliTruncate from 'cli-truncate';
import colors from 'picocolors';
import stringWidth from 'string-width';
import type { RunState } from '../../client.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { progressOf } from './progress.ts';
import { durationText, spentText } from './spent.ts';
import { harmless } from './telling.ts';

const marks: Record<AgentState, string> = {
  waiting: '·',
  answering: '✎',
  answered: '✓',
  voting: '✎',
  voted: '✓',
  asking: '?',
  using_tools: '✎',
  planning: '✎',
  criticising: '✎',
  writing: '✎',
  out: '✗',
  timed_out: '✗',
};

/** The fewest columns in which a text in progress is shown. */
const leastText = 8;

const judging = ['deciding', 'presenting', 'evaluating'];

/**
 * The lines that show what a run is doing: one for each agent, with the end of the text that it is writing, and one with
 * attempt, iteration or subtasks, time, calls, tokens and cost.
 *
 * @param texts what each agent has written so far, by its id
 * @param elapsed milliseconds since the run began
 * @param columns width of the terminal; no line is longer
 */
export function drawRegion(state: RunState, texts: Map<string, string>, elapsed: number, columns: number): string[] {
  const { phase, agents, usage } = state;
  const selectedAgent = 'selectedAgent' in state ? state.selectedAgent : null;
  const idWidth = Math.min(Math.max(0, ...agents.map(({ id }) => stringWidth(id))), Math.floor(columns / 3));
  const lines = agents.map(({ id, state: doing }) => {
    const isFinal = id === selectedAgent && judging.includes(phase);
    const shown = cliTruncate(id, idWidth);
    const name = shown + ' '.repeat(idWidth - stringWidth(shown));
    const head = `  ${isFinal ? '✎' : marks[doing]} ${name}  ${inWords(isFinal ? phase : doing).padEnd(10)} `;
    const room = columns - 1 - stringWidth(head);
    const text = room < leastText ? '' : cliTruncate(readable(texts.get(id) ?? ''), room, { position: 'start' });
    return text === '' ? cliTruncate(head.trimEnd(), columns - 1) : head + colors.dim(text);
  });
  const spent = usage === null ? '' : `, ${spentText(usage)}`;
  const summary = cliTruncate(`  ${progressOf(state)}, ${durationText(elapsed)}${spent}`, columns - 1);
  return ['', ...lines, colors.bold(summary)];
}

/** A text in progress on one line. Of a tool call's JSON only the first value is kept, without its key. */
function readable(text: string): string {
  const said = text
    .replace(/^\{\s*"\w+"\s*:\s*"/, '')
    .replace(/\\n/g, ' ')
    .replace(/\\"/g, '"');
  return harmless(said.replace(/\s+/g, ' ')).trim();
}
