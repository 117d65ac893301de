import { z } from 'zod';
import type { Store } from '../../../store/store.ts';
import type { ToolDefinition } from '../../definition.ts';

export const listTool = (store: Store): ToolDefinition => ({
  name: 'list_attachments',
  description:
    'Lists the files that there are: those that came with the task and those that save_file has made, each with its ' +
    'kind (text, table, json, pdf, image), its size in bytes, and a note where not all of it can be read.',
  parameters: z.object({}),
  sideEffects: false,
  async execute(_: object, { workflowId }) {
    const files = await store.files(workflowId);
    return files.map(({ name, kind, bytes, note, from }) => ({
      name,
      kind,
      bytes,
      ...(from === 'tool' && { saved: true }),
      ...(note !== undefined && { note }),
    }));
  },
});
