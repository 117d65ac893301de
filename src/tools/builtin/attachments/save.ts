import { z } from 'zod';
import { plainName } from '../../../files/names.ts';
import { recognise } from '../../../files/recognise.ts';
import { keepFile } from '../../../files/run-files.ts';
import type { Store } from '../../../store/store.ts';
import type { ToolDefinition } from '../../definition.ts';
import { ToolError } from '../../tool.ts';

const parameters = z.object({
  name: z.string().min(1).describe('For example: results.csv; the ending tells what it is'),
  text: z.string().describe('The whole content'),
});

export const saveTool = (store: Store): ToolDefinition => ({
  name: 'save_file',
  description:
    'Saves a text as a file, for other subtasks and later tries; list_attachments, read_attachment and query_table ' +
    'see it like the files that came with the task. A file that was saved under this name before is replaced.',
  parameters,
  sideEffects: 'idempotent',
  async execute({ name: given, text }: z.output<typeof parameters>, { workflowId }): Promise<string> {
    const name = plainName(given);
    if (name === undefined) throw new ToolError(`${given} is no name of a file`);
    const bytes = Buffer.from(text);
    const found = recognise(name, bytes);
    if (typeof found === 'string') throw new ToolError(`${name} ${found}`);
    const kept = await keepFile(store, workflowId, { name, bytes, found, from: 'tool' });
    if (kept.from === 'attachment') {
      throw new ToolError(`${name} came with the task and stays as it is; save under another name`);
    }
    const note = kept.note === undefined ? '' : `; ${kept.note}`;
    return `Saved as ${name} (${kept.kind}, ${kept.bytes} bytes)${note}`;
  },
});
