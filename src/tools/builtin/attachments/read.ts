import { z } from 'zod';
import type { Store } from '../../../store/store.ts';
import type { ToolDefinition } from '../../definition.ts';
import { fileNamed, textOf } from './named.ts';
import { charactersOf, partOf } from './part.ts';

const parameters = z.object({
  name: z.string().min(1).describe('The file, as list_attachments names it'),
  from: z.int().min(1).default(1).describe('The first page of a PDF, or line of another file, from 1'),
  length: z.int().min(1).optional().describe('How many of them; absent: as many as fit'),
  by: z
    .literal('characters')
    .optional()
    .describe('Counts from and length in characters: to go on within a line or page that is too long'),
});

export const readTool = (store: Store): ToolDefinition => ({
  name: 'read_attachment',
  description:
    'Reads a file as text: a PDF by its pages, any other by its lines, at most 20,000 characters at a time. ' +
    'A last line in brackets says where it goes on. To filter a table or to compute over it, use query_table.',
  parameters,
  sideEffects: false,
  async execute({ name, from, length, by }: z.output<typeof parameters>, { workflowId }): Promise<string> {
    const file = await fileNamed(store, workflowId, name);
    const text = await textOf(store, file);
    if (by === 'characters') return charactersOf(text, from, length);
    return partOf(text, file.kind === 'pdf' ? 'page' : 'line', from, length);
  },
});
