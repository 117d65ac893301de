import { readAttachments } from '../attachments.ts';
import { readPlan } from '../checked-config.ts';
import { usageError } from '../exit.ts';
import type { FollowOptions } from '../options.ts';
import { startAndFollow } from '../start.ts';

export interface SolveOptions extends FollowOptions {
  attach?: string[];
}

/** `reprise solve PROBLEM`: a problem is planned, its subtasks are carried out, and only what failed is repeated. */
export async function solve(problem: string, options: SolveOptions): Promise<void> {
  if (problem.trim() === '') throw usageError('PROBLEM is empty');
  const config = readPlan(options);
  const attachments = await readAttachments(options.attach ?? [], options);
  const input = {
    problem,
    ...(attachments.length > 0 && { attachments }),
    ...(config !== undefined && { config }),
  };
  await startAndFollow((reprise, named) => reprise.startSolve(input, named), options);
}
