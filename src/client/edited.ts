import { argumentReader } from '../activities/tools/arguments.ts';
import type { PendingQuestion } from '../protocol/questions.ts';

// What a person writes in place of a tool call's arguments. Checking it takes zod, which the command line loads for this alone.

/** Why arguments that a person gives a tool call are none; undefined where they fit. @param asked what they are for, if that is known */
export function argumentsProblem(value: unknown, asked: Partial<PendingQuestion> = {}): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'The arguments of a call are one JSON object, such as {"to": "…"}';
  const { parameters, tool: name = '' } = asked;
  if (parameters === undefined) return undefined;
  const read = argumentReader([{ name, description: '', parameters }]);
  const { reply } = read({ id: 'edited', name, arguments: JSON.stringify(value) }, 'tool_calls');
  return 'error' in reply ? reply.error : undefined;
}

/** Arguments that a person has typed, or in words why they are none. @param asked what they are for, if that is known */
export function editedArguments(json: string, asked?: Partial<PendingQuestion>): Record<string, unknown> | string {
  try {
    const value = JSON.parse(json) as Record<string, unknown>;
    return argumentsProblem(value, asked) ?? value;
  } catch (error) {
    return `These arguments are no JSON: ${(error as Error).message}`;
  }
}
