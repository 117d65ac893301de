import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { AttachmentInput } from '../../protocol/attachment.ts';
import { maxFileBytes, maxFiles } from '../../util/file-limits.ts';
import { plainName, uniqueNames } from './names.ts';
import { recognise, tooLarge, type Recognised } from './recognise.ts';

export interface Loaded {
  bytes: Buffer;
  found: Recognised;
}

const givenName = (input: AttachmentInput): string =>
  typeof input === 'string' ? input : 'path' in input ? (input.name ?? input.path) : input.name;

/** The names by which agents know attachments, in order. No two are equal, and the same inputs get the same names. */
export const attachmentNames = (inputs: AttachmentInput[]): string[] =>
  uniqueNames(inputs.map((input, index) => plainName(givenName(input)) ?? `attachment-${index + 1}`));

export const resolveAttachments = (inputs: AttachmentInput[], base: string): AttachmentInput[] =>
  inputs.map((input) => {
    if (typeof input === 'string') return resolve(base, input);
    return 'path' in input ? { ...input, path: resolve(base, input.path) } : input;
  });

export const tooMany = (inputs: AttachmentInput[]): string | undefined =>
  inputs.length > maxFiles ? `${inputs.length} files are attached; a run takes at most ${maxFiles}` : undefined;

/** All that keeps a run from starting with these attachments, which is never what a file is. @param base of relative paths */
export async function attachmentProblems(inputs: AttachmentInput[], base: string): Promise<string[]> {
  const many = tooMany(inputs);
  if (many !== undefined) return [many];
  const problems: string[] = [];
  for (const input of inputs) {
    const loaded = await loadAttachment(input, base);
    if (typeof loaded === 'string') problems.push(loaded);
  }
  return problems;
}

/** Reads and recognises an attachment. @returns it, or a text with its name and what is wrong with it */
export async function loadAttachment(input: AttachmentInput, base: string): Promise<Loaded | string> {
  const given = givenName(input);
  const file = typeof input === 'string' ? { path: input } : input;
  const shown = 'path' in file ? file.path : given || 'an attachment without a name';
  const bytes = 'path' in file ? await read(resolve(base, file.path)) : decoded(file.data);
  if (typeof bytes === 'string') return `${shown}: ${bytes}`;
  // The name that a user gives a file may lack its ending.
  return { bytes, found: await recognise(extname(given) === '' ? shown : given, bytes) };
}

async function read(place: string): Promise<Buffer | string> {
  try {
    const found = await stat(place);
    if (found.isDirectory()) return 'is a folder; attach the files in it one by one';
    if (!found.isFile()) return 'is not a file';
    if (found.size > maxFileBytes) return tooLarge(found.size);
    return await readFile(place);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? `there is no file ${place}` : `cannot be read: ${message}`;
  }
}

/** Decodes base64. As Node silently leaves out what it cannot decode, the result is encoded again and compared. */
function decoded(data: string): Buffer | string {
  const plain = data.replaceAll(/\s/g, '').replace(/=+$/, '');
  const bytes = Buffer.from(plain, 'base64');
  if (bytes.length > maxFileBytes) return tooLarge(bytes.length);
  return bytes.toString('base64').replace(/=+$/, '') === plain ? bytes : 'its data is not base64';
}
