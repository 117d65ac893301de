import { extname } from 'node:path';
import type { FileType } from './packages.ts';
import type { Readable } from './readable.ts';

/** Writes down what is said in a recording. @returns its text, or a note on why there is none. Never throws */
export type Transcribe = (recording: { name: string; bytes: Buffer; mediaType: string }) => Promise<Readable>;

/** How recordings begin, of the formats that OpenAI's endpoint takes (https://platform.openai.com/docs/guides/speech-to-text). */
const heads: Array<[mediaType: string, begins: RegExp]> = [
  ['audio/mpeg', /^ID3/],
  ['audio/wav', /^RIFF[^]{4}WAVE/],
  ['audio/ogg', /^OggS/],
  ['audio/flac', /^fLaC/],
  ['audio/mp4', /^[^]{4}ftyp(M4A|M4B)/],
];

/** Those whose beginning films and other bytes have as well, by their endings. */
const byEnding: Record<string, [mediaType: string, begins: RegExp]> = {
  '.mp3': ['audio/mpeg', /^\xff[\xe0-\xff]/],
  '.mpga': ['audio/mpeg', /^\xff[\xe0-\xff]/],
  '.m4a': ['audio/mp4', /^[^]{4}ftyp/],
  '.webm': ['audio/webm', /^[^]E\xdf\xa3/],
};

export function audioType(name: string, bytes: Buffer): FileType | undefined {
  const head = bytes.toString('latin1', 0, 16);
  const own = byEnding[extname(name).toLowerCase()];
  const found = own?.[1].test(head) ? own : heads.find(([, begins]) => begins.test(head));
  return found && ['audio', found[0]];
}

export const notTranscribed: Transcribe = () =>
  Promise.resolve({ note: `it was not transcribed; nothing of it can be read: ${howToTranscribe}` });

export const howToTranscribe =
  'set TRANSCRIPTION_URL to the base address of a server with the endpoint /audio/transcriptions, or use a backend of the ' +
  'type openai';
