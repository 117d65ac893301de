import { isReserved, type SimpleCommand } from './line.ts';

/**
 * By which words a program runs another one. A wildcard never stands for these: a rule that is to cover them names them
 * (docs/commands.md lists them for users).
 */

const setOf = (names: string): Set<string> => new Set(names.split(' '));

/** Shells, and what a shell has to run a text or a file in itself. */
const shells = setOf('sh bash dash ash zsh ksh mksh fish csh tcsh pwsh eval source . trap');

/** Interpreters, and programs that have commands of their own by which they run others. */
const interpreters = setOf(
  'python pypy node nodejs deno bun tsx ts-node npx bunx uvx pipx perl ruby php lua luajit tclsh wish rscript r julia ' +
    'groovy jshell osascript expect sqlite3 psql mysql gdb lldb less more most man vi vim nvim view ex ed emacs nano dc ' +
    'm4 crontab at batch alias unalias export readonly declare typeset local read set unset hash enable shopt mapfile ' +
    'readarray let getopts compgen complete bind fc',
);

/** Programs that run the one which their own words name. */
const wrappers = setOf(
  'sudo doas su runuser setpriv pkexec env xargs parallel nohup nice ionice chrt taskset timeout time stdbuf setsid ' +
    'unshare nsenter chroot strace ltrace script watch flock ssh command builtin exec busybox toybox entr systemd-run ' +
    'start-stop-daemon unbuffer rlwrap tmux screen catchsegv setarch valgrind perf proot fakeroot faketime jobs',
);

/** Options of one program by which it runs another, or writes a file that one runs. Long ones may be shortened. */
interface Options {
  long?: string[];
  /** All other words. */
  words?: RegExp;
  /**
   * The commands that a wildcard covers, of a program that has commands. Any other may be an alias, or is there to run
   * something.
   */
  commands?: Set<string>;
  /** What may stand before them. */
  flags?: Set<string>;
  /** Words behind one of them, by its name. */
  of?: Map<string, RegExp>;
}

const ofNode: Options = {
  long: [
    '--script-shell',
    '--node-options',
    '--call',
    '--prefix',
    '--userconfig',
    '--globalconfig',
    '--shell',
    '--git',
    '--dir',
    '--cwd',
    '--use-yarnrc',
  ],
  words: /^(?:-C|--config\.)/,
  flags: setOf('-s --silent -q --quiet -v --version -h --help'),
  commands: setOf(
    'add audit build ci dedupe explain fund help i info install lint list ll ls outdated pack ping prune publish rebuild ' +
      'remove restart rm run run-script search show start stop t test tst un uninstall update version view whoami why',
  ),
};

const optionsOf = new Map<string, Options>(
  Object.entries({
    find: { words: /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/ },
    fd: { long: ['--exec', '--exec-batch'], words: /^-\w*[xX]/ },
    rg: { long: ['--pre', '--hostname-bin'] },
    tar: {
      long: [
        '--to-command',
        '--checkpoint-action',
        '--use-compress-program',
        '--info-script',
        '--new-volume-script',
        '--rsh-command',
        '--rmt-command',
      ],
      // Without a dash too, as its first word.
      words: /^-\w*[IF]|^(?=.*[a-z])\w*[IF]\w*$/,
    },
    zip: { long: ['--unzip-command'], words: /^-\w*T/ },
    sort: { long: ['--compress-program', '--output'], words: /^-\w*o/ },
    split: { long: ['--filter'] },
    rsync: { long: ['--rsh', '--rsync-path'], words: /^-\w*e/ },
    scp: { words: /^-\w*[SoFD]/ },
    sftp: { words: /^-\w*[SoFDb]/ },
    curl: { long: ['--config'], words: /^-[\w#:]*K/ },
    wget: { long: ['--execute', '--use-askpass', '--config'], words: /^-\w*e/ },
    make: { long: ['--eval', '--file', '--makefile', '--include-dir'], words: /^-\w*[EfI]|^[^-][^=]*=/ },
    npm: ofNode,
    pnpm: ofNode,
    yarn: ofNode,
    cargo: { long: ['--config'] },
    go: { words: /^--?(?:exec|toolexec|vettool|overlay|modfile)(?:=|$)|^(?:generate|run|tool|env)$/ },
    printf: { words: /^-v/ },
    // A shell computes what is in the brackets of a variable's name.
    test: { words: /^-[vR]$/ },
    '[': { words: /^-[vR]$/ },
    git: {
      long: [
        '--exec',
        '--upload-pack',
        '--receive-pack',
        '--open-files-in-pager',
        '--ext-diff',
        '--output',
        '--template',
        '--config',
        '--config-env',
        '--exec-path',
        '--git-dir',
        '--extcmd',
      ],
      words: /(?:^|=)ext::/,
      flags: setOf('--no-pager -P --no-optional-locks --literal-pathspecs -v --version -h --help'),
      commands: setOf(
        'add am annotate apply archive blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick ' +
          'clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref ' +
          'format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree merge merge-base merge-tree mv ' +
          'name-rev notes prune pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm ' +
          'shortlog show show-branch show-ref sparse-checkout stash status switch symbolic-ref tag update-index ' +
          'update-ref var verify-commit version whatchanged worktree',
      ),
      of: new Map([
        ['bisect', /^(?:run|view|visualize)$/],
        ['clone', /^-\w*[uc]/],
        ['grep', /^-\w*O/],
        ['rebase', /^-\w*x/],
        ['submodule', /^(?:foreach|update)$/],
      ]),
    },
  }),
);

/** A program by its name alone. Some systems take it in any case. */
const programOf = (word = ''): string =>
  word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(python|pypy|lua|perl|ruby|php|node)[\d.]+$/, '$1')
    .replace(/^(?:g(?=(?:find|tar|sed|awk|make|sort|split|timeout|env|xargs)$)|[mn](?=awk$))/, '');

const isAssignment = (word: string): boolean => word.includes('=');

/** Whether it may run commands that its words do not show. */
export function isOpaque(command: SimpleCommand): boolean {
  const { words } = command;
  const assignments = words.findIndex((word) => !isAssignment(word));
  if (assignments !== 0) return assignments > 0 && isOpaque(without(command, assignments));
  const program = programOf(words[0]);
  if (shells.has(program)) return true;
  if (wrappers.has(program)) return words.slice(1).some((word) => shells.has(programOf(word)) || /\s/.test(word));
  if (interpreters.has(program)) return words.some((word) => /^-(?:[ceErp]|-eval|-print)/.test(word));
  return wordsToName(command) > 1;
}

/** Whether other programs may be among its words. */
export const runsItsWords = (command: SimpleCommand): boolean =>
  isAssignment(command.words[0] ?? '') || shells.has(programOf(command.words[0])) || wordsToName(command) > 1;

/** A command without its first words. */
export const without = ({ filledIn, words }: SimpleCommand, count: number): SimpleCommand => {
  const rest = words.slice(count);
  return {
    words: rest,
    filledIn: filledIn.map((index) => index - count).filter((index) => index >= 0),
    written: rest.join(' '),
  };
};

/** What `time`, `nice`, `nohup` or `timeout 60` runs, in their plain forms: that is judged in their place. */
export function unwrapped(command: SimpleCommand): SimpleCommand | undefined {
  const [program, second = '-'] = command.words;
  const count = program === 'timeout' && /^\d{1,9}(?:\.\d{1,9})?[smhd]?$/.test(second) ? 2 : 1;
  const isPlain = count === 2 || ['time', 'nice', 'nohup'].includes(program ?? '');
  const inner = without(command, count);
  const [first = '-'] = inner.words;
  const isClear = !first.startsWith('-') && !isReserved(first) && !inner.filledIn.includes(0);
  // One within another is not looked through, so that the time grows with the length of the line.
  return isPlain && isClear && !wrappers.has(programOf(first)) ? inner : undefined;
}

/** How many of a command's first words a rule must name, since by the last of them it may run another program. */
export function wordsToName(command: SimpleCommand): number {
  const { filledIn, words } = command;
  const assignments = words.findIndex((word) => !isAssignment(word));
  if (assignments === -1) return words.length;
  if (assignments > 0) return assignments + Math.max(1, wordsToName(without(command, assignments)));
  const program = programOf(words[0]);
  if (wrappers.has(program)) return wrapped(command, program);
  if (shells.has(program) || interpreters.has(program)) return 1;
  if (program === 'sed') return isPlainSed(command) ? 0 : words.length;
  if (program === 'awk') return isPlainAwk(command) ? 0 : words.length;
  const options = optionsOf.get(program);
  if (options === undefined) return 0;
  const at = commandOf(options, words);
  const isUnknown = at !== undefined && words[at] !== undefined && !options.commands?.has(words[at]);
  const behind = options.of?.get(words[at ?? -1] ?? '');
  const last = words.findLastIndex(
    (word, index) =>
      index > 0 &&
      // A file may be called like an option.
      ((filledIn.includes(index) && isLikeOption(word)) || isOption(options, word) || behind?.test(word)),
  );
  return Math.max(isUnknown ? at + 1 : 0, last + 1);
}

const isLikeOption = (word: string): boolean => /^[-*?[$]/.test(word);

function isOption({ long = [], words }: Options, word: string): boolean {
  if (words?.test(word)) return true;
  const [name = ''] = word.split('=');
  return /^--\w/.test(name) && long.some((each) => each.startsWith(name));
}

/** Where the command of a program stands that has commands, or what stands before it and is not known. */
function commandOf({ commands, flags }: Options, words: string[]): number | undefined {
  if (commands === undefined) return undefined;
  let at = 1;
  for (; words[at]?.startsWith('-'); at++) {
    if (words[at] === '-C' && words[0]?.endsWith('git')) at++;
    else if (!flags?.has(words[at] ?? '')) break;
  }
  return at;
}

/** Of a wrapper at least the program that it runs. Since its own options are not known here, any word may be that one. */
function wrapped(command: SimpleCommand, program: string): number {
  const { words } = command;
  if (words.length === 1) return program === 'env' || program === 'time' ? 0 : 1;
  if (program === 'command' && /^-[vV]$/.test(words[1] ?? '')) return 2;
  const first = words.findIndex((word, index) => index > 0 && !/^-|^\d|=/.test(word));
  let count = first === -1 ? words.length : first + 1;
  const seen = new Set<string>();
  words.forEach((word, index) => {
    const name = programOf(word);
    if (index === 0 || isAssignment(word)) return;
    if (wrappers.has(name)) count = Math.max(count, index + 1);
    // Only the first one of a name is looked at in whole, so that the time grows with the length of the line.
    else if (!seen.has(name) && isKnown(name)) {
      const inner = wordsToName(without(command, index));
      if (inner > 0) count = Math.max(count, index + inner);
    }
    seen.add(name);
  });
  return count;
}

const isKnown = (program: string): boolean =>
  shells.has(program) || interpreters.has(program) || optionsOf.has(program) || program === 'sed' || program === 'awk';

/** Whether the script of `sed` only selects, deletes or replaces lines. It can also run commands and write files. */
function isPlainSed({ filledIn, words }: SimpleCommand): boolean {
  const at = words.findIndex((word, index) => index > 0 && !/^-(?:[nErsuz]+|i(?:\.\w+)?)$/.test(word));
  const [script = '', ...files] = words.slice(at);
  return at > 0 && isScript.test(script) && !filledIn.some((index) => index <= at) && !files.some(isLikeOption);
}

const isScript = new RegExp(
  String.raw`^(?:(?:[\d$]+|/(?:[^\\\n/]|\\.)*/)(?:,[\d$]+)?)?` +
    String.raw`(?:[pdq=]|s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*)$`,
);

/** Whether the program of `awk` can neither run another one nor write files. */
function isPlainAwk({ filledIn, words }: SimpleCommand): boolean {
  let at = 1;
  for (; words[at]?.startsWith('-'); at++) {
    if (!/^-[Fv]/.test(words[at] ?? '')) return false;
    if (words[at]?.length === 2) at++;
  }
  const [program = '@', ...files] = words.slice(at);
  const runs = /system|getline|[|>@]/.test(program) || filledIn.some((index) => index <= at);
  return !runs && !files.some(isLikeOption);
}
