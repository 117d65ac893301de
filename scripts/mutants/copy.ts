import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const vitest = 'node_modules/vitest/vitest.mjs';

/** How a command has ended. `timeout`: it was killed when its time was up. */
type End = number | 'timeout';

interface Report {
  testResults: Array<{ name: string; status: string }>;
}

/** How a mutant has fared. `by`: what has noticed it; undefined if nothing has. */
export interface Fate {
  by: string | undefined;
  /** How many test files have run; undefined where a command of one's own has. */
  files: number | undefined;
}

/** A copy of a clone in a temporary folder, in which files may be changed. Its packages are those of the clone. */
export class Copy {
  readonly #folder: string;
  #child: ChildProcess | undefined;

  /** @param root the clone, whose files git does not ignore are copied as they are, committed or not */
  constructor(root: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'reprise-mutants-'));
    const { stdout } = spawnSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    for (const file of stdout.split('\0').filter((each) => each !== '' && existsSync(join(root, each)))) {
      const target = join(this.#folder, file);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(root, file), target);
    }
    this.#linkPackages(resolve(root, 'node_modules'));
  }

  /** Links each package by itself, so that what tools cache in `node_modules` goes into the copy. */
  #linkPackages(packages: string): void {
    const own = join(this.#folder, 'node_modules');
    mkdirSync(own);
    const caches = ['.cache', '.vite', '.vitest', '.vite-temp'];
    for (const entry of readdirSync(packages, { withFileTypes: true })) {
      const [from, to] = [join(packages, entry.name), join(own, entry.name)];
      if (entry.isFile()) copyFileSync(from, to);
      else if (!caches.includes(entry.name)) symlinkSync(from, to, 'junction');
    }
  }

  /** Does something while a file has another text. */
  async with<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
    const path = join(this.#folder, file);
    const before = readFileSync(path);
    writeFileSync(path, text);
    try {
      return await work();
    } finally {
      writeFileSync(path, before);
    }
  }

  /** Whether it has no type errors. */
  async compiles(): Promise<boolean> {
    const words = [
      'node_modules/typescript/bin/tsc',
      '-p',
      '.',
      '--incremental',
      '--tsBuildInfoFile',
      '.mutants.tsbuildinfo',
    ];
    return (await this.#run(process.execPath, words, Infinity)) === 0;
  }

  /** Runs the tests that import a file, directly or not, up to the first one that fails. @param seconds for all of them */
  async related(file: string, seconds: number): Promise<Fate> {
    const report = join(this.#folder, '.mutants.json');
    rmSync(report, { force: true });
    const named = [vitest, 'related', file, '--run', '--project=!everyday'];
    const words = [...named, '--bail', '1', '--reporter=json', `--outputFile=${report}`];
    const end = await this.#run(process.execPath, words, seconds);
    const results = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults : [];
    const failed = results.find(({ status }) => status === 'failed')?.name.replaceAll('\\', '/');
    const test = failed?.slice(failed.lastIndexOf('/test/') + 1);
    return { by: end === 0 ? undefined : (test ?? reasonOf(end, 'vitest, before any test')), files: results.length };
  }

  /** Runs a command of one's own. @param seconds how long it may take */
  async command([program = '', ...words]: string[], seconds: number): Promise<Fate> {
    const end = await this.#run(program, words, seconds);
    return { by: end === 0 ? undefined : reasonOf(end, [program, ...words].join(' ')), files: undefined };
  }

  /** Ends what runs in it, and removes it. */
  remove(): void {
    this.#kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** @throws if the program cannot be started */
  async #run(program: string, words: string[], seconds: number): Promise<End> {
    // A group of its own, since tests start processes that would go on without them.
    const child = spawn(program, words, { cwd: this.#folder, stdio: 'ignore', detached: process.platform !== 'win32' });
    this.#child = child;
    const { promise, resolve: end, reject } = Promise.withResolvers<End>();
    child.once('error', reject);
    child.once('exit', (code) => end(code ?? 1));
    const timer = Number.isFinite(seconds) && setTimeout(() => end('timeout'), seconds * 1000);
    try {
      return await promise;
    } finally {
      if (timer) clearTimeout(timer);
      this.#kill();
    }
  }

  #kill(): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  }
}

const reasonOf = (end: End, other: string): string => (end === 'timeout' ? 'its time limit' : other);
