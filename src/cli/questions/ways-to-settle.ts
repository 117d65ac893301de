import type { InboxQuestion } from '../../client.ts';
import { remedyOf } from '../../client/show/kinds.ts';
import { answerCommand, approveCommand, temporalOption } from './box.ts';
import { shellWord } from '../../util/text/shell-word.ts';

/** How a person settles what waits: a line for each way, most of them commands to type. */
export function waysToSettle(waiting: InboxQuestion, temporal: string | undefined): string[] {
  const answer = answerCommand(waiting, temporal);
  const rest = `${shellWord(waiting.workflowId)}${temporalOption(temporal)}`;
  switch (waiting.kind) {
    case 'approval':
      return [
        `reprise decide ${rest} --accept`,
        `reprise decide ${rest} --stop`,
        `reprise restart ${rest} --reason "…" --instructions "…"`,
      ];
    case 'key':
      return [remedyOf(waiting), `to go on without it: ${answer} --skip`];
    case 'tool': {
      const approve = approveCommand(waiting, temporal);
      return [`${approve} --allow`, `${approve} --always`, `${approve} --deny "…"`, `${approve} --edit '{…}'`];
    }
    default:
      return [`${answer} "…"`];
  }
}
