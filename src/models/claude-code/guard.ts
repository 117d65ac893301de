import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isIn } from '../../util/folders.ts';
import { isObject } from '../../util/values.ts';

export const readingTools = ['Read', 'Glob', 'Grep'];
export const writingTools = ['Edit', 'Write', 'NotebookEdit'];

export const commandTool = 'Bash';

export interface Permissions {
  workspace: string;
  /** Folders besides, which may be read, such as that in which Claude Code keeps results that are too long. */
  readable: string[];
  /** First names of paths in the workspace that may only be read. */
  mounts: string[];
  tools: string[];
}

const paths = ['file_path', 'notebook_path', 'path'];

/**
 * Why a call of a built-in tool is refused: the agent has no such tool, or it leads out of the agent's files, by `..`,
 * an absolute path or a link. A command is not looked at, since no look would hold it back.
 */
export function whyRefused(allowed: Permissions | undefined, tool: string, input: unknown): string | undefined {
  if (!allowed?.tools.includes(tool)) return `No such tool available: ${tool}`;
  if (tool === commandTool) return undefined;
  const { mounts, readable, workspace } = allowed;
  const given = isObject(input) ? input : {};
  const isWrite = writingTools.includes(tool);
  const named = Object.entries(given).filter(([key]) => paths.includes(key));
  for (const [, path] of named) {
    if (typeof path !== 'string') return 'a path is a text';
    const place = realPlace(resolve(workspace, path));
    const own = realPlace(workspace);
    if (!isIn(own, place)) {
      if (!isWrite && readable.some((each) => isIn(realPlace(each), place))) continue;
      return `${path} is outside of your workspace, ${workspace}`;
    }
    const [first = ''] = relative(own, place).split(sep);
    if (isWrite && mounts.includes(first)) return `${path} can only be read: what is in ${first}/ is not yours`;
  }
  // A pattern of Glob names files; that of Grep is an expression for their lines.
  const globs = Object.entries(given).filter(([key]) => key === (tool === 'Glob' ? 'pattern' : 'glob'));
  const out = globs.find(([, pattern]) => typeof pattern !== 'string' || leadsOut(pattern));
  return out && `${JSON.stringify(out[1])} may lead out of your workspace: name a path in it, without .. and ~`;
}

/** Braces may hide what a pattern leads to. */
const leadsOut = (pattern: string): boolean => pattern.includes('..') || /(^|[{,(|])[/~\\]/.test(pattern);

/** Where a path really leads to, links resolved as far as there are any files. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlace(parent), relative(parent, path));
  }
}
