import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));

/** What a clone's command was, and how it ended. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** An npm that notes what it is asked for and makes what the real one would leave. */
const npm = `#!/usr/bin/env node
const { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');
const words = process.argv.slice(2).filter((word) => !/^--(?:no-|loglevel|fetch)/.test(word));
appendFileSync(process.env.NPM_CALLS, words.join(' ') + '\\n');
console.log('npm prints this');
if (existsSync(process.env.NPM_CALLS + '.fail')) process.exit(7);
if (words[0] === 'ci') {
  rmSync('node_modules', { recursive: true, force: true });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  mkdirSync('node_modules');
} else {
  const bin = join('node_modules', words.at(-1).split('@')[0], 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
}
`;

/** Makes Node say that it is an old one. */
const pretend = (version: string): string =>
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;

/** A folder with the project's bootstrap, a program of a few lines, and an npm that needs no network. */
export class Clone implements Disposable {
  readonly #base = mkdtempSync(join(tmpdir(), 'reprise-clone-'));
  readonly folder = join(this.#base, 'clone');
  readonly cache = join(this.#base, 'cache');
  readonly #tools = join(this.#base, 'tools');
  readonly #calls = join(this.#base, 'npm-calls');

  /** @param main the program's text @param file where it is; without one below `src` it is an installed package */
  constructor(main: string, file = 'src/cli/main.ts') {
    cpSync(bin, join(this.folder, 'bin'), { recursive: true });
    this.write('package.json', '{"type": "module"}');
    this.write('package-lock.json', '{}');
    this.write(file, main);
    mkdirSync(this.#tools);
    writeFileSync(join(this.#tools, 'npm'), npm);
    chmodSync(join(this.#tools, 'npm'), 0o755);
  }

  write(file: string, content: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), content);
  }

  /** What npm was asked for, one line a call. */
  get npmCalls(): string[] {
    return existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8').trimEnd().split('\n') : [];
  }

  /** Whether npm ends with status 7. */
  set npmFails(fails: boolean) {
    if (fails) writeFileSync(`${this.#calls}.fail`, '');
    else rmSync(`${this.#calls}.fail`, { force: true });
  }

  /** Starts `reprise WORDS`. */
  start(words: string[], nodeVersion = process.versions.node) {
    const preload = `data:text/javascript,${encodeURIComponent(pretend(nodeVersion))}`;
    const child = spawn(process.execPath, ['--import', preload, join(this.folder, 'bin', 'reprise.mjs'), ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: [this.#tools, dirname(process.execPath), process.env['PATH']].join(delimiter),
        XDG_CACHE_HOME: this.cache,
        NPM_CALLS: this.#calls,
      },
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
      ([stdout, stderr, [status]]): Ended => ({ stdout, stderr, status: status as number | null }),
    );
    return { child, ended };
  }

  run(words: string[], nodeVersion?: string): Promise<Ended> {
    return this.start(words, nodeVersion).ended;
  }

  [Symbol.dispose](): void {
    rmSync(this.#base, { recursive: true, force: true });
  }
}
