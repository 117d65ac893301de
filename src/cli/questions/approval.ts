import type { InboxQuestion } from '../../client.ts';
import { decisionIn, type ToolDecision } from '../../protocol/tools/permissions.ts';
import { argumentsIn } from '../../workflows/agent/arguments.ts';
import type { Shell } from '../shell.ts';
import { readLine, type Left } from './read-line.ts';

/** What a person has entered about a tool call, or how the prompt ended without it. */
export type Decided = { kind: 'decision'; decision: ToolDecision } | Left;

const prompt = 'Allow it? (y, n, n REASON, e to edit, always): ';

const hint =
  'Type y to allow it, n or n REASON to deny it, e to edit its arguments, always to allow it for all of this run';

/** Prompts until a person has decided about a tool call. Enter alone decides nothing. */
export async function readDecision(shell: Shell, asked: InboxQuestion, withdrawn: AbortSignal): Promise<Decided> {
  const { arguments: given = '', questionId: id } = asked;
  for (;;) {
    const entered = await readLine(shell, prompt, { withdrawn });
    if (entered.kind !== 'line') return entered;
    if (/^e(?:dit)?$/i.test(entered.text.trim())) {
      const whole = argumentsIn(given);
      const initial = whole && given.replaceAll(/\n\s*/g, ' ');
      const edited = await readLine(shell, 'Arguments as JSON: ', {
        withdrawn,
        ...(initial !== undefined && { initial }),
      });
      if (edited.kind !== 'line') return edited;
      const { editedArguments } = await import('../../client/edited.ts');
      const checked = editedArguments(edited.text, asked);
      if (typeof checked !== 'string')
        return { kind: 'decision', decision: { id, action: 'edit', arguments: checked } };
      shell.say(checked);
      continue;
    }
    const decision = decisionIn(entered.text);
    if (decision !== undefined) return { kind: 'decision', decision: { id, ...decision } };
    shell.say(hint);
  }
}
