import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Stream } from 'node:stream';
import { redact } from '../../util/text/redact.ts';
import { privateFolder, privateMode } from '../../util/private-files.ts';

/** How many characters of a line are held back until it ends, so that a secret is seen whole. */
const longestLine = 10_000;

/** Appends to a file, line by line, what a server prints, without the secrets that it was given and may show. */
export function keepLog(printed: Stream | null, file: string, secrets: readonly string[]): void {
  privateFolder(dirname(file));
  const decoder = new StringDecoder('utf8');
  let begun = '';
  const write = (text: string): void => {
    if (text !== '') appendFileSync(file, redact(text, secrets), { mode: privateMode.file });
  };
  (printed as Readable | null)
    ?.on('data', (bytes: Buffer) => {
      begun += decoder.write(bytes);
      const end = begun.length > longestLine ? begun.length : begun.lastIndexOf('\n') + 1;
      write(begun.slice(0, end));
      begun = begun.slice(end);
    })
    .on('end', () => write(begun));
}
