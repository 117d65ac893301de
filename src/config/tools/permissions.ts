import { z } from 'zod';
import { safe } from '../privileges.ts';
import type { Permissions } from '../../protocol/tools/permissions.ts';

const pattern = z.string().max(1000);

const ruleSchema = z.strictObject({
  tool: pattern.min(1).meta(safe('The name of a tool; * stands for any characters.')),
  arguments: z
    .record(z.string(), pattern)
    .optional()
    .meta(safe('What arguments must be, by their names; * stands for any characters. Absent: whatever they are.')),
  action: z
    .enum(['allow', 'ask', 'deny'])
    .meta(safe('allow: the call runs. ask: it waits for a person. deny: the agent is told that it may not.')),
});

/** The keys that say which tool calls may be made. They stand at the top of every kind of configuration. */
export const permissionShape = {
  permissions: z
    .array(ruleSchema)
    .optional()
    .describe(
      'Which tool calls may be made; the first rule that fits decides. Where none does, a call of a tool that acts ' +
        'outside of the run is asked for if attended, and else denied; all others are allowed.',
    ),
  attended: z
    .boolean()
    .optional()
    .meta(safe('Whether a person is there to be asked about tool calls. Absent: if broadcast is human.')),
};

/** Whom agents may ask with `ask_others`, and for how many seconds. */
interface Asking {
  broadcast: false | 'agents' | 'human';
  broadcast_timeout: number;
}

type PermissionKeys = z.output<z.ZodObject<typeof permissionShape>>;

/** What a run is told about tool calls. A person has as long for one as for a question, where agents may ask questions. */
export function permissionsOf(
  { attended, permissions = [] }: PermissionKeys,
  { broadcast, broadcast_timeout }: Asking,
): Permissions {
  const isAsked = broadcast === 'human';
  const timeout = isAsked ? broadcast_timeout * 1000 : null;
  return { rules: permissions, attended: attended ?? isAsked, timeout };
}

/** The same keys where a person starts a run. @param yes whether what no rule is about is allowed */
export const withConsent = (
  { attended, permissions = [] }: PermissionKeys,
  { isThere, yes }: { isThere: boolean; yes: boolean },
): PermissionKeys => ({
  ...(yes && { permissions: [...permissions, { tool: '*', action: 'allow' as const }] }),
  ...(attended === undefined && isThere && { attended: true }),
});

/** Lines for a person about the permissions, if a configuration has any. */
export const describePermissions = ({ attended, permissions = [] }: PermissionKeys): string[] => [
  ...permissions.map(({ action, arguments: given, tool }) => {
    const about = Object.entries(given ?? {}).map(([name, value]) => `${name}: ${value}`);
    return `Calls of ${tool}${about.length === 0 ? '' : ` with ${about.join(', ')}`}: ${action}.`;
  }),
  ...(attended === undefined
    ? []
    : [`Tools that act outside of the run: ${attended ? 'a person is asked' : 'denied'}.`]),
];
