import { decisionIn, type ToolDecision } from '../../protocol/tools/permissions.ts';
import { messageRoom, type HumanReply } from '../../protocol/questions.ts';

/** What a person's words decide about the call that they name, or in words what is wrong with them. An empty answer refuses it. */
export function decisionInWords({ answer, questionId: id = '' }: HumanReply): ToolDecision | string {
  const decision = answer.trim() === '' ? { action: 'deny' as const } : decisionIn(answer);
  if (decision === undefined) return `${id} takes yes, no with a reason, or always, or the signal approve`;
  return { id, ...decision };
}

/** A decision as it came from outside, or in words what is wrong with it. */
export function checkedDecision(payload: unknown): ToolDecision | string {
  const {
    action,
    always,
    arguments: edited,
    id,
    reason,
  } = (payload ?? {}) as Partial<Record<keyof ToolDecision, unknown>>;
  if (typeof id !== 'string') return 'a signal approve is {id, action: "allow" | "deny" | "edit", …}';
  if (action !== 'allow' && action !== 'deny' && action !== 'edit') return 'its action is one of allow, deny, edit';
  if (reason !== undefined && typeof reason !== 'string') return 'its reason is a text';
  if (always !== undefined && typeof always !== 'boolean') return 'its always is true or false';
  if ((reason ?? '').length > messageRoom) return `its reason has more than ${messageRoom} characters`;
  if ((JSON.stringify(edited) ?? '').length > messageRoom)
    return `its arguments have more than ${messageRoom} characters`;
  const isMapping = typeof edited === 'object' && edited !== null && !Array.isArray(edited);
  if (action === 'edit' && !isMapping) return 'edit needs arguments: an object with all that the call runs with';
  return {
    id,
    action,
    ...(isMapping && { arguments: edited as Record<string, unknown> }),
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  };
}
