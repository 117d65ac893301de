import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

interface Surroundings {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends it. */
  signal?: AbortSignal;
}

/** What has become of a program. */
export interface Ended {
  code: number | null;
  /** What it has printed, to both streams. */
  output: string;
}

/** Runs a program. @returns what it has printed to standard output @throws `Error` with what it has said, where it fails */
export async function run([file = '', ...args]: string[], surroundings: Surroundings = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 26, ...surroundings });
  return stdout.trim();
}

/** Runs a program that may fail. @param show whether what it prints is shown */
export async function tried(words: string[], surroundings: Surroundings = {}, show = false): Promise<Ended> {
  const [file = '', ...args] = words;
  const child = spawn(file, args, { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
      if (show) process.stderr.write(part);
    });
  const { promise, reject, resolve } = Promise.withResolvers<Ended>();
  child.once('error', reject);
  child.once('close', (code) => resolve({ code, output: output.trim() }));
  return promise;
}

export const docker = (...words: string[]): Promise<string> => run(['docker', ...words]);
