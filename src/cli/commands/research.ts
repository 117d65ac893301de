import { readResearch } from '../checked-config.ts';
import { usageError } from '../exit.ts';
import type { FollowOptions } from '../options.ts';
import { startAndFollow } from '../start.ts';

/** `reprise research IDEA`: an idea is planned, searched, criticised, and planned anew until it is good enough. */
export async function research(idea: string, options: FollowOptions): Promise<void> {
  if (idea.trim() === '') throw usageError('IDEA is empty');
  const config = readResearch(options);
  const input = { idea, ...(config !== undefined && { config }) };
  await startAndFollow((reprise, named) => reprise.startResearch(input, named), options);
}
