import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import type { Reprise } from '../../src/client.ts';
import { decodeAll } from '../../src/encryption/codec.ts';

/** A word that stands nowhere else. Letters and digits alone, so that every format writes it as it is. */
export const canary = (name: string): string => `canary${name}x7Qz9`;

/** The forms in which a text may be found: as it is, and in base64 wherever it stands in what is encoded. */
function formsOf(text: string): string[] {
  const within = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
  });
  return [text, ...within];
}

/** Which of some texts stand in some bytes, by name. */
export const foundIn = (bytes: Buffer, texts: Record<string, string>): string[] =>
  Object.entries(texts).flatMap(([name, text]) => (formsOf(text).some((form) => bytes.includes(form)) ? [name] : []));

/** Which of some texts stand in which files below a folder, as `logs/log.txt: key`. */
export const foundBelow = (folder: string, texts: Record<string, string>): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name, parentPath }) => {
      const file = join(parentPath, name);
      return foundIn(readFileSync(file), texts).map((each) => `${file.slice(folder.length + 1)}: ${each}`);
    });

/** All that the server has of a run and of those that it continued as, decoded: the history, memo, search attributes, … */
export async function decodedRun({ client }: Reprise, id: string): Promise<Buffer> {
  const { loadedDataConverter } = client.options;
  const { History } = proto.temporal.api.history.v1;
  const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1;
  const handle = client.workflow.getHandle(id);
  const history = await decodeAll(await handle.fetchHistory(), loadedDataConverter);
  const { raw } = await handle.describe();
  return Buffer.concat([
    History.encode(history).finish(),
    DescribeWorkflowExecutionResponse.encode(await decodeAll(raw, loadedDataConverter)).finish(),
  ]);
}
