import { decisionIn, type ToolDecision } from '../../protocol/tools/permissions.ts';
import { quoted, textsProblem } from '../runtime/message-problems.ts';
import { maxMessageChars, type HumanReply } from '../../protocol/questions.ts';

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
  } = (payload ?? {}) as Omit<ToolDecision, 'action' | 'always' | 'arguments'> & Record<string, unknown>;
  const problem = textsProblem(payload, '{id, action: "allow" | "deny" | "edit", …}', ['id', 'action'], ['reason']);
  if (problem !== undefined) return problem;
  if (action !== 'allow' && action !== 'deny' && action !== 'edit')
    return `action: ${quoted(action)} is not one of allow | deny | edit`;
  if (always !== undefined && typeof always !== 'boolean') return `always: ${quoted(always)} is not true or false`;
  if ((reason ?? '').length > maxMessageChars) return `its reason has more than ${maxMessageChars} characters`;
  if ((JSON.stringify(edited) ?? '').length > maxMessageChars)
    return `its arguments have more than ${maxMessageChars} characters`;
  const isObject = typeof edited === 'object' && edited !== null && !Array.isArray(edited);
  if (action === 'edit' && !isObject)
    return `arguments: ${quoted(edited)} is not an object with all that the call is to run with`;
  return {
    id,
    action,
    ...(isObject && { arguments: edited as Record<string, unknown> }),
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  };
}
