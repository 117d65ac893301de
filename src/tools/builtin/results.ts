import { z } from 'zod';
import { grouped } from '../../util/file-limits.ts';
import type { Store } from '../../store/store.ts';
import { partFrom } from '../../util/text/cut.ts';
import { ToolError, type ToolDefinition } from '../tool.ts';

const maxChars = 20_000;

const parameters = z.object({
  id: z.string().min(1).describe('As the note in the shortened result names it'),
  from: z.int().min(0).default(0).describe('How many characters to skip'),
  characters: z.int().min(1).max(maxChars).default(maxChars).describe('How many to read'),
});

/** The built-in package `builtin.results`, which reads on in the caller's own results that were too long to be shown whole. */
export const resultTool = (store: Store): ToolDefinition => ({
  name: 'read_result',
  description: 'Reads on in a tool result of which only the beginning and the end were shown.',
  parameters,
  sideEffects: false,
  async execute({ id, from, characters }: z.output<typeof parameters>, { agentId, workflowId }): Promise<string> {
    const blob = await store.result(workflowId, agentId, id.trim());
    if (blob === undefined) throw new ToolError(`there is no result ${id}; shortened results name their ids in a note`);
    const text = await store.blob(blob);
    if (from >= text.length) throw new ToolError(`result ${id} has ${grouped(text.length)} characters`);
    return partFrom(text, from, characters);
  },
});
