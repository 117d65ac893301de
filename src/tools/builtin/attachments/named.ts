import { didYouMean } from '../../../config/did-you-mean.ts';
import type { RunFile, Store } from '../../../store/store.ts';
import { ToolError } from '../../tool.ts';

/** A file of a workflow by its name, whatever the letter case. @throws `ToolError` with all names where it has none of this name */
export async function fileNamed(store: Store, workflowId: string, name: string): Promise<RunFile> {
  const files = await store.files(workflowId);
  const plain = name.trim().toLowerCase();
  const file =
    files.find((each) => each.name === name) ?? files.find((each) => each.name.toLowerCase() === plain);
  if (file !== undefined) return file;
  const names = files.map((each) => each.name);
  throw new ToolError(
    names.length === 0
      ? `there is no ${name}: this run has no files yet`
      : `there is no ${name};${didYouMean(name, names)} the files are ${names.join(', ')}`,
  );
}

/** The text of a file. @throws `ToolError` where it has none */
export async function textOf(store: Store, { name, kind, text, note }: RunFile): Promise<string> {
  if (text !== undefined) return store.blob(text);
  if (kind === 'image') {
    throw new ToolError(`${name} is an image: it has no text; a model that sees is shown it with its task`);
  }
  throw new ToolError(`${name}: ${note ?? 'it has no text'}`);
}
