import { hunksOf } from '../../tools/workspaces/diff.ts';
import { visible } from '../../workflows/agent/arguments.ts';

/** What tools for files call a part of a text and what takes its place, and those of Claude Code and of MCP's usual servers. */
const pairs = [
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
] as const;

const linesOf = (text: string): string[] => visible(text.replaceAll('\r\n', '\n')).split('\n');

/**
 * What a call of a tool would change in a file, as far as its arguments say that: the parts that it replaces, or all that it
 * writes. Each line begins with a sign. Undefined for a call that changes no file.
 */
export function callDiff(input: Record<string, unknown>): string | undefined {
  const edits = Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [];
  const hunks = [input, ...edits].flatMap((edit) => {
    const given = (edit ?? {}) as Record<string, unknown>;
    return pairs.flatMap(([from, to]) => {
      const [old, now] = [given[from], given[to]];
      return typeof old === 'string' && typeof now === 'string' ? [hunksOf(linesOf(old), linesOf(now))] : [];
    });
  });
  if (hunks.length > 0)
    return hunks.map((lines) => lines.filter((line) => !line.startsWith('@@')).join('\n')).join('\n\n');
  const path = input['path'] ?? input['file_path'];
  const { content } = input;
  if (typeof path !== 'string' || typeof content !== 'string') return undefined;
  return linesOf(content)
    .map((line) => `+${line}`)
    .join('\n');
}
