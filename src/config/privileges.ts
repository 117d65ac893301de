/**
 * What a key of an input or of a configuration may reach beyond the worker's own configuration: a program, a module, an
 * address, a key, a file. Each has a rule in trust/rules.ts. `configuration` and `moduleConfig` have schemas of their own.
 */
export type Privilege =
  | 'address'
  | 'attachment'
  | 'backendType'
  | 'baseUrl'
  | 'command'
  | 'commandMode'
  | 'commandVariables'
  | 'configuration'
  | 'earlier'
  | 'extraBody'
  | 'folder'
  | 'folderInConfig'
  | 'headers'
  | 'keyVariable'
  | 'moduleConfig'
  | 'modulePath'
  | 'noVariables'
  | 'none'
  | 'repository'
  | 'toolPackage';

// An interface has no index signature, which zod asks for.
type Meta = { privilege: Privilege; description?: string };

/** The meta of a key whose value reaches something, and whoever may bring it is decided by the rule of this name. */
export const guarded = (privilege: Privilege, description?: string): Meta => ({
  privilege,
  ...(description !== undefined && { description }),
});

/** The meta of a key that reaches nothing, whatever its value is. A key with neither of these is refused in inputs. */
export const safe = (description?: string): Meta => guarded('none', description);
