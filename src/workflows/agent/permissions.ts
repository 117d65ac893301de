import { fileTools } from '../../protocol/attachment.ts';
import type { PermissionAction, PermissionRule, Permissions } from '../../protocol/tools/permissions.ts';
import type { ListedTool, QuickTools } from '../../protocol/tools/tool.ts';
import { verdictOnLine } from './commands/verdict.ts';
import { fits, leadsOut } from './commands/patterns.ts';

type Asking = Pick<ListedTool, 'name' | 'original' | 'source' | 'sideEffects' | 'workspace'>;

/**
 * What the permissions say about a call (docs/tools.md). Only `*` is a wildcard, so that what a model writes is matched in a
 * time that grows only with its length. @returns `unclear`: a rule may deny something of a line that does not show
 */
export function verdictOn(
  { attended, rules }: Omit<Permissions, 'timeout'>,
  tool: Asking,
  input: Record<string, unknown>,
): { action: PermissionAction; why: 'rule' | 'default' | 'unclear' } {
  const byDefault = { action: actsOutside(tool) ? (attended ? 'ask' : 'deny') : 'allow', why: 'default' } as const;
  const { [lineOf]: line, ...others } = input;
  if ((tool.name !== commandTool && tool.original !== commandTool) || typeof line !== 'string') {
    const rule = rules.find((each) => isAbout(each, tool, input));
    return rule === undefined ? byDefault : { action: rule.action, why: 'rule' };
  }
  const about = rules.flatMap(({ action, arguments: { [lineOf]: pattern, ...wanted } = {}, tool: name }) =>
    isAbout({ tool: name, arguments: wanted, action }, tool, others) ? [{ pattern, action }] : [],
  );
  const { action, isOpen, isUnclear } = verdictOnLine(about, line);
  if (action === 'deny') return { action, why: 'rule' };
  if (isOpen && byDefault.action === 'deny') return byDefault;
  // A person who is not there would be waited for without end.
  if (isUnclear) return { action: attended ? 'ask' : 'deny', why: 'unclear' };
  return action === undefined ? byDefault : { action, why: 'rule' };
}

const commandTool = 'run_command';
const lineOf = 'command';

/**
 * Whether a tool says that it changes something other than its agent's own files. One that works on these and must not run
 * twice changes more than them. What the tools for attachments change belongs to the run.
 */
const actsOutside = ({ sideEffects, source, workspace }: Asking): boolean =>
  (sideEffects === 'once' || (sideEffects === 'idempotent' && workspace === undefined)) &&
  !('package' in source && source.package === fileTools);

/** A rule for a tool's own name holds for it under the longer one too, by which it is offered beside another of its name. */
function isAbout(
  { action, arguments: wanted = {}, tool }: PermissionRule,
  { name, original = name }: Pick<Asking, 'name' | 'original'>,
  input: Record<string, unknown>,
) {
  if (!fits(tool, name) && !fits(tool, original)) return false;
  return Object.entries(wanted).every(([key, pattern]) => {
    const text = textOf(input[key]);
    return Object.hasOwn(input, key) && fits(pattern, text) && !(action === 'allow' && leadsOut(pattern, text));
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Whether a tool may run within the call of the model that wants it (`QuickTools`; docs/decisions/0057-no-local-activities.md),
 * before the workflow has seen the call: it changes nothing, and is no server's.
 */
export const isQuick = ({ sideEffects, source }: Pick<ListedTool, 'sideEffects' | 'source'>): boolean =>
  sideEffects === 'none' && 'package' in source;

/** Whether no rule about a tool says anything else than that it may run. */
export const isAlwaysAllowed = ({ rules }: Pick<Permissions, 'rules'>, name: string): boolean =>
  rules.every(({ action, tool }) => action === 'allow' || !fits(tool, name));

/**
 * The tools that a model's call may run. @param list the blob with the quick ones of `tools` @param isKept whether a tool
 * is left to the workflow, by its name
 */
export function quickTools(
  list: string | undefined,
  tools: ListedTool[],
  isKept: (name: string) => boolean,
): Pick<QuickTools, 'list' | 'without'> | undefined {
  if (list === undefined) return undefined;
  const names = tools.filter(isQuick).map(({ name }) => name);
  const without = names.filter(isKept);
  if (without.length === names.length) return undefined;
  return { list, ...(without.length > 0 && { without }) };
}
