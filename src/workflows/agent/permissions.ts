import type { PermissionAction, PermissionRule, Permissions } from '../../protocol/permissions.ts';
import type { ListedTool } from '../../protocol/tool.ts';

/**
 * The rules for which tool calls run by themselves (docs/tools.md). They know no wildcard other than `*`, so that what a
 * model writes is matched in a time that grows only with its length.
 */

/** What becomes of a call. `why`: a rule says so, or there is none for it. */
export interface Verdict {
  action: PermissionAction;
  why: 'rule' | 'default';
}

type Asking = Pick<ListedTool, 'name' | 'source' | 'sideEffects' | 'workspace'>;

/** What the permissions say about a call. */
export function verdictOn(
  { attended, rules }: Pick<Permissions, 'attended' | 'rules'>,
  tool: Asking,
  input: Record<string, unknown>,
): Verdict {
  const rule = rules.find((each) => isAbout(each, tool.name, input));
  if (rule !== undefined) return { action: rule.action, why: 'rule' };
  if (!actsOutside(tool)) return { action: 'allow', why: 'default' };
  return { action: attended ? 'ask' : 'deny', why: 'default' };
}

/** Built-in packages that declare side effects and have them only on what belongs to the run. */
const ofTheRun = ['builtin.attachments'];

/**
 * Whether a tool says that it changes something other than its agent's own files. One that works on these and must not run
 * twice changes more than them.
 */
const actsOutside = ({ sideEffects, source, workspace }: Asking): boolean =>
  (sideEffects === 'once' || (sideEffects === 'idempotent' && workspace === undefined)) &&
  !('package' in source && ofTheRun.includes(source.package));

function isAbout({ arguments: wanted = {}, tool }: PermissionRule, name: string, input: Record<string, unknown>) {
  if (!fits(tool, name)) return false;
  return Object.entries(wanted).every(
    ([key, pattern]) => Object.hasOwn(input, key) && fits(pattern, textOf(input[key])),
  );
}

/** An argument as patterns see it: a text as it is, anything else as JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Whether a text is what the pattern says, in which `*` stands for any characters, none included. */
export function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
