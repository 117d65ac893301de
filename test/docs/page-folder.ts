import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { stopUp } from '../../src/local/background.ts';
import { Sink, startHere } from '../support/cli.ts';
import { ownPort } from '../support/own-port.ts';
import { wordsOf } from './blocks.ts';
import { programs } from './programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a page's commands need beside the page itself. */
export interface PageSetUp {
  /** Files in the folder, by their names. */
  files?: Record<string, string>;
  /** Files of the repository that are in the folder under other names, by these. */
  copies?: Record<string, string>;
  /** Environment of all its commands. There are no keys, so that the offline model answers. */
  variables?: Record<string, string>;
  /** Whether a server and a worker run from the beginning, since the page takes them for granted. */
  up?: boolean;
  /** How commands are run that need more than their words, by these words (`nameOf`). */
  steps?: Record<string, StepSetUp>;
}

/** How a command is run, where the command alone does not say enough. */
export interface StepSetUp {
  /** Makes what the command needs, such as a run of the id that it names. */
  before?: (folder: PageFolder) => Promise<void>;
  /** What a person types, on standard input; its end follows. */
  types?: string;
  /** What it prints when it has done what is shown: Ctrl-C follows. */
  until?: RegExp;
  /** Whether it goes on, beside the block's further commands, once it has printed that. */
  stays?: boolean;
  /** Its exit status, where that is not 0. */
  status?: number;
  /** Looks at what it has done. */
  after?: (folder: PageFolder) => Promise<void> | void;
}

/** What a command has printed on standard output and standard error, as a terminal shows both. */
export interface Ran {
  status: number | null;
  output: string;
}

/** A command that goes on beside others. */
interface Staying {
  child: ChildProcess;
  ended: Promise<unknown>;
}

/** Seconds after which a command hangs, however busy the machine. */
const patience = 150;

/** Where pages say that the HTTP server is. */
const pagesServer = '127.0.0.1:8234';

/** What belongs to the folder itself, and not to a page. */
const lasting = ['.reprise', '.bin', 'node_modules', 'examples', 'docs'];

/** A folder like a clone, with a server of its own, in which the commands of one page after the other are run. */
export class PageFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'reprise-page-'));
  readonly #always: Record<string, string>;
  #variables: Record<string, string> = {};
  readonly #staying: Staying[] = [];
  /** Where the block's HTTP server listens: somebody else's may have the port that pages name. */
  #served = pagesServer;
  /** Whether the block has exported variables, or gone to another folder. */
  #hasMoved = false;
  /** The ids of the page's runs. */
  readonly #ids = new Set<string>();

  static async make(): Promise<PageFolder> {
    const folder = new PageFolder(`127.0.0.1:${await ownPort()}`);
    const { cli, home } = inject('temporal');
    // As the commands make it: they say so where others can read it.
    mkdirSync(folder.home, { mode: 0o700 });
    cpSync(join(home, 'bundles'), join(folder.home, 'bundles'), { recursive: true });
    for (const name of ['examples', 'docs']) symlinkSync(join(root, name), join(folder.path, name));
    linkModules(folder.path);
    for (const [name, text] of Object.entries(programs(cli))) folder.write(`.bin/${name}`, text, 0o755);
    return folder;
  }

  private constructor(address: string) {
    this.#always = {
      PATH: `${join(this.path, '.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: this.path,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      XDG_CACHE_HOME: join(root, 'node_modules', '.cache'),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      GOMAXPROCS: process.env['GOMAXPROCS'] ?? '',
      TEMPORAL_CLI_PATH: inject('temporal').cli,
      TEMPORAL_ADDRESS: address,
    };
  }

  /**
   * Makes what a page's commands need.
   *
   * @param files by their names
   * @param copies files of the repository, by their names here
   * @param variables further environment
   * @param up whether a server and a worker run
   */
  async prepare({ files = {}, copies = {}, variables = {}, up = false }: Omit<PageSetUp, 'steps'>): Promise<void> {
    this.#variables = { ...this.#always, ...variables };
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    for (const [name, from] of Object.entries(copies)) copyFileSync(join(root, from), join(this.path, name));
    if (up) await this.up();
  }

  /** Has a server and a worker run. */
  async up(): Promise<void> {
    // A conversation without a turn starts what is missing.
    if (!existsSync(join(this.home, 'up.json'))) await this.run('reprise chat');
  }

  /** Takes away what a page has left: files, and runs that go on, so that their ids are free. */
  async clean(): Promise<void> {
    await this.endStaying();
    if (existsSync(join(this.home, 'up.json')))
      await this.withClient(async (reprise) => {
        // Most have ended, or have never begun.
        for (const id of this.#ids)
          await reprise
            .getRun(id)
            .terminate('The page is over')
            .catch(() => {});
      });
    this.#ids.clear();
    for (const name of readdirSync(this.path).filter((each) => !lasting.includes(each)))
      rmSync(join(this.path, name), { recursive: true });
  }

  /** The home folder of all commands, by default. */
  get home(): string {
    return join(this.path, '.reprise');
  }

  write(name: string, text: string, mode?: number): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), text, { mode });
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** Says that a run belongs to the page. */
  owns(id: string): void {
    this.#ids.add(id);
  }

  /** Does something with the library, connected to this folder's server. */
  async withClient<T>(work: (reprise: Reprise) => Promise<T>): Promise<T> {
    await using reprise = await connect({ address: this.#always['TEMPORAL_ADDRESS'] ?? '', home: this.home });
    return await work(reprise);
  }

  /** Begins a block: what earlier ones have exported, and where they have gone, is forgotten. */
  begin(): void {
    rmSync(join(this.path, '.shell'), { force: true });
    this.#hasMoved = false;
    this.#served = pagesServer;
  }

  /** Runs a command, as the next line of a terminal whose lines before were this block's. */
  async run(command: string, setUp: StepSetUp = {}): Promise<Ran> {
    for (const [, id = ''] of command.matchAll(/--(?:workflow-)?id (\S+)/g)) this.#ids.add(id);
    this.#hasMoved ||= /^(?:export|cd) /.test(command);
    const words = this.#hasMoved ? undefined : wordsOf(command);
    // Those that serve set up what a process has once.
    if (words === undefined || ['serve', 'up'].includes(words[0] ?? '')) return this.#runByBash(command, setUp);
    return this.#runHere(words, setUp);
  }

  /**
   * Runs a command line of `reprise` in this process. One of its own takes half a second of the processor more; the pages have
   * others that need a shell, and test/cli/smoke starts every command.
   */
  async #runHere(words: string[], { types = '', until }: StepSetUp): Promise<Ran> {
    const screen = new Sink();
    const running = startHere(words, { cwd: this.path, env: this.#variables }, screen, screen);
    running.type(types);
    running.endInput();
    const hung = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      running.signal('SIGINT');
      hung.reject(new Error(late(screen.text)));
    }, patience * 1000);
    try {
      if (until !== undefined) {
        await Promise.race([running.says(until), hung.promise]);
        running.signal('SIGINT');
      }
      const { status } = await Promise.race([running.finished, hung.promise]);
      return { status: until === undefined ? status : 0, output: screen.text };
    } finally {
      clearTimeout(timer);
    }
  }

  async #runByBash(command: string, { types, until, stays = false }: StepSetUp): Promise<Ran> {
    const state = join(this.path, '.shell');
    const words = command.replace(/ &$/, '').replaceAll(pagesServer, this.#served);
    const script =
      `exec 2>&1\nif [ -f '${state}' ]; then . '${state}'; fi\n${words}\nstatus=$?\n` +
      `{ export -p; printf 'cd %q\\n' "$PWD"; } > '${state}'\nexit $status`;
    const child = spawn('bash', ['-c', script], {
      cwd: this.path,
      env: this.#variables,
      stdio: [types === undefined ? 'ignore' : 'pipe', 'pipe', 'inherit'],
      // A group of its own, which Ctrl-C reaches as a whole.
      detached: true,
    });
    child.stdin?.end(types);
    const signal = (name: NodeJS.Signals) => child.exitCode === null && child.pid && process.kill(-child.pid, name);
    let output = '';
    let seen = false;
    const ended = once(child, 'close');
    const reached = new Promise<void>((resolve) => {
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (seen || until === undefined || !until.test(output)) return;
        seen = true;
        this.#served = /^Pages http:\/\/([^/]+)\/login/m.exec(output)?.[1] ?? this.#served;
        if (!stays) signal('SIGINT');
        resolve();
      });
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      signal('SIGKILL');
    }, patience * 1000);
    if (stays) this.#staying.push({ child, ended });
    await (stays ? Promise.race([reached, ended]) : ended);
    clearTimeout(timer);
    if (isLate) throw new Error(late(output));
    if (until !== undefined && !seen) throw new Error(`it has not printed ${until}, but:\n${output}`);
    return { status: until === undefined ? child.exitCode : 0, output };
  }

  /** Ends the commands that were to stay. */
  async endStaying(): Promise<void> {
    for (const { child, ended } of this.#staying.splice(0)) {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGINT');
      await ended;
    }
  }

  async remove(): Promise<void> {
    await stopUp(this.home);
    rmSync(this.path, { recursive: true, force: true });
  }
}

const late = (output: string): string =>
  `it has not ended in ${patience} s (give it \`until\`). It has printed:\n${output}`;

/** Gives a folder the packages of this repository and `reprise` itself, as a project has them that has installed it. */
export function linkModules(folder: string): void {
  const modules = join(root, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(modules).filter((entry) => !entry.startsWith('.')))
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  symlinkSync(root, join(folder, 'node_modules', 'reprise'));
}
