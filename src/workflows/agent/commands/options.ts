import { setOf } from './names.ts';

/** Options of one program by which it runs another, or writes a file that one runs. Long ones may be shortened. */
export interface Options {
  long?: Set<string>;
  /** All other words. */
  words?: RegExp;
  /** Of a program that has commands, those that a wildcard covers. Any other may be an alias, or run something. */
  commands?: Set<string>;
  /** What may stand before them. */
  flags?: Set<string>;
  /** What may stand before them too, with a folder behind it. */
  folder?: string;
  /** Up to which word the shell may make one that needs no dash, as the name of a file. Absent: up to its command. */
  bare?: number;
  /** What of a word has to stand before its first wildcard for it to become such a one, wherever it stands. */
  begun?: RegExp;
  /** Commands behind which any word may be such a one. */
  bareBehind?: Set<string>;
  /** Words behind one of them, by its name. */
  of?: Map<string, RegExp>;
  /** Of one that writes the second file that it is given: options with a word of their own behind them. */
  operands?: RegExp;
  /** Whether it takes one dash or three for two before a long option, and leaves alone what stands behind `--`. */
  isLoose?: boolean;
}

const ofNode: Options = {
  isLoose: true,
  long: setOf(
    '--script-shell --node-options --call --prefix --userconfig --globalconfig --shell --git --dir --cwd ' +
      '--use-yarnrc --python --node-gyp --onload-script --pnpmfile --global-pnpmfile --browser',
  ),
  words: /^(?:-C|--config\.)/,
  flags: setOf('-s --silent -q --quiet -v --version -h --help'),
  commands: setOf(
    'add audit build ci dedupe explain fund help i info install lint list ll ls outdated pack ping prune publish rebuild ' +
      'remove restart rm run run-script search show start stop t test tst un uninstall update version view whoami why',
  ),
};

/** A file that is not below the command's folder, as a program's word or in an option of it. */
const elsewhere = String.raw`^(?:-\w+|--[\w-]+=)?(?!/dev/null$)(?:[/~]|(?:.*/)?\.(?:\.|git)(?:/|$))`;

const ofWriters: Options = { long: setOf('--output'), words: /^-\w*o/ };

/** What a compiler may hand on to the linker. That can load others by its options, and reads further ones from `@` files. */
const toLinker = String.raw`(?:,(?:-?-(?:rpath(?:-link)?|soname)[,=][^,@-][^,]*|-z,\w+|--?(?:no-)?(?:as-needed|gc-sections)|-O\d|-s))+$`;

const ofCompilers: Options = {
  long: setOf('--specs --prefix --ld-path --gcc-toolchain --sysroot --driver-mode --for-linker --for-assembler'),
  words: new RegExp(
    String.raw`^-(?:B|wrapper|specs|X|mllvm|ccc-|gcc-toolchain|Wl(?=,)(?!${toLinker})|Wp,(?!-[DMU][^,]*$)|Wa,.*@|-config)` +
      String.raw`|^--?f?(?:pass-)?plugin|^--?f?(?:module-mapper|thinlto-distributor|use-ld=.*/)|^@`,
  ),
};

/** A shell computes what is in the brackets of a variable's name, and some do so wherever a number is expected. */
const ofTests: Options = { words: /^-[vR]$|\[[^]*[$`]/ };

export const optionsOf = new Map<string, Options>(
  Object.entries({
    find: { words: /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/ },
    fd: { long: setOf('--exec --exec-batch'), words: /^-\w*[xX]/ },
    bat: { long: setOf('--pager') },
    ag: { long: setOf('--pager') },
    ack: { long: setOf('--pager --ackrc') },
    rg: { long: setOf('--pre --hostname-bin') },
    tar: {
      bare: 1,
      long: setOf(
        '--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command ' +
          '--rmt-command',
      ),
      // Without a dash too, as its first word. The name of another machine may be an option of what leads there.
      words: /^-\w*[IF]|^(?=.*[a-z])\w*[IF]\w*$|^-[^/]*:/,
    },
    zip: { long: setOf('--unzip-command'), words: /^-\w*T/ },
    sort: { long: setOf('--compress-program --output'), words: /^-\w*o/ },
    shuf: ofWriters,
    tree: ofWriters,
    iconv: ofWriters,
    split: { long: setOf('--filter') },
    install: { long: setOf('--strip-program') },
    openssl: { words: /^--?(?:engine|provider|config)/ },
    rsync: { long: setOf('--rsh --rsync-path --daemon --remote-option'), words: /^-\w*[eM]/ },
    scp: { words: /^-\w*[SoFD]/ },
    sftp: { words: /^-\w*[SoFDb]/ },
    curl: {
      long: setOf('--config --engine'),
      // In what it prints `%output` names a file, and in a file's name `#1` is a part of the address.
      words: new RegExp(String.raw`^-[\w#:]*K|^--expand-|%output|#\d|${elsewhere}`),
    },
    wget: {
      long: setOf('--execute --use-askpass --config'),
      words: new RegExp(String.raw`^-\w*e|${elsewhere}`),
    },
    make: {
      // A variable's name. One that is a number names no program.
      begun: /^[^/]*$/,
      long: setOf('--eval --file --makefile --include-dir'),
      words: /^-\w*[EfI]|^[^-][^=]*=(?!\d+$)/,
    },
    npm: ofNode,
    pnpm: ofNode,
    yarn: ofNode,
    gcc: ofCompilers,
    'g++': ofCompilers,
    cc: ofCompilers,
    'c++': ofCompilers,
    clang: ofCompilers,
    'clang++': ofCompilers,
    ld: { isLoose: true, long: setOf('--plugin'), words: /^-?-run|^@/ },
    uniq: { operands: /^-\w*[fsw]$/ },
    xxd: { operands: /^-(?:[cglnosR]|cols|groupsize|len|name|off|seek)$/ },
    sdiff: { long: setOf('--diff-program --output'), words: /^-\w*o/ },
    diff3: { long: setOf('--diff-program') },
    cpio: { long: setOf('--rsh-command') },
    cargo: { long: setOf('--config') },
    go: {
      folder: '-C',
      flags: setOf('-h -help --help'),
      commands: setOf('build clean doc fix fmt get help install list mod test version vet work'),
      // What is for the linker or a compiler may name another one, or a file with more.
      words: /^--?(?:exec|toolexec|vettool|fixtool|overlay|modfile|gccgoflags)(?:=|$)|-ext(?:ld|ar)|(?:^|[\s='"])@/,
    },
    cmake: { words: /^-E/ },
    apt: { long: setOf('--option --config-file'), words: /^-\w*[oc]/ },
    gh: {
      // What stands behind it is for git.
      words: /^--$/,
      flags: setOf('--version --help'),
      commands: setOf('api auth browse cache gist issue label org pr project release repo run search status workflow'),
    },
    kubectl: { words: /^--(?:kubeconfig|exec[-_]command|helm[-_]command|enable[-_]exec)|^users\.|^set-credentials$/ },
    helm: { long: setOf('--kubeconfig --post-renderer') },
    nc: { long: setOf('--exec --sh-exec --lua-exec'), words: /^-\w*[ce]/ },
    pandoc: {
      long: setOf('--filter --lua-filter --pdf-engine --pdf-engine-opt --defaults --data-dir'),
      words: /^-\w*[FLd]|\.lua/,
    },
    tex: { isLoose: true, long: setOf('--shell-escape --enable-write18 --cnf-line --lua') },
    'yt-dlp': {
      long: setOf(
        '--exec --exec-before-download --downloader --external-downloader --config-locations --plugin-dirs ' +
          '--netrc-cmd --ffmpeg-location --use-postprocessor --alias',
      ),
      words: new RegExp(elsewhere),
    },
    // Of bash both set a variable, such as `PATH`.
    printf: { bare: 1, words: /^-v|%[^a-z%\\]*[hjlqtz]*n|\[[^]*[$`]/i },
    test: ofTests,
    '[': ofTests,
    wait: { words: /^-\w*p/ },
    git: {
      long: setOf(
        '--exec --upload-pack --receive-pack --open-files-in-pager --ext-diff --output --template --config ' +
          '--config-env --exec-path --git-dir --extcmd --strategy --unsafe-paths --build-fake-ancestor',
      ),
      words: /(?:^|=)ext::/,
      folder: '-C',
      bareBehind: setOf('bisect bundle clone fetch ls-remote pull push remote submodule'),
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
        ['archive', /^-\w*o/],
        ['bisect', /^(?:run|view|visualize|replay)$/],
        ['bundle', /^create$/],
        ['clone', /^-\w*[uc]/],
        ['format-patch', /^--suf/],
        ['grep', /^-\w*O/],
        // The name of a strategy may lead to any file.
        ['pull', /^-[^\WX]*s/],
        ['rebase', /^-[^\WX]*[sx]/],
        ['submodule', /^(?:foreach|update)$/],
      ]),
    },
  }),
);

/** Whether a word is an option by which a program runs another one, or writes a file that one runs. */
export function isOption({ isLoose = false, long = new Set(), words }: Options, word: string): boolean {
  if (words?.test(word)) return true;
  const [written = ''] = word.split('=');
  const name = isLoose ? written.replace(/^-+(?=\w\w)/, '--') : written;
  return /^--\w/.test(name) && [...long].some((each) => each.startsWith(name));
}
