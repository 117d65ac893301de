import type { InboxQuestion } from '../../client.ts';
import { waysToDecide } from './approval.ts';
import { answerCommand, shellWord, temporalOption } from './box.ts';

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
      if (waiting.questionId.startsWith('login-')) {
        return [
          `${waiting.question.replace(/^needs a login: /, '')} where the worker runs; the run goes on by itself`,
          `to go on without it: ${answer} --skip`,
        ];
      }
      return [
        `set ${waiting.questionId.replace(/^key-/, '')} where the worker runs; the run goes on by itself`,
        `to go on without it: ${answer} --skip`,
      ];
    case 'tool':
      return waysToDecide(waiting, temporal);
    default:
      return [`${answer} "…"`];
  }
}
