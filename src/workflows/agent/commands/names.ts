/** What programs are called that run others, and by which other names they are known. */

export const setOf = (names: string): Set<string> => new Set(names.split(' '));

/** Shells, and what a shell has to run a text or a file in itself. */
export const shells = setOf('sh bash dash ash zsh ksh mksh fish csh tcsh pwsh eval source . trap');

/** Interpreters, and programs that have commands of their own by which they run others. */
export const interpreters = setOf(
  'python pypy node nodejs deno bun tsx ts-node npx bunx uvx pipx perl ruby php lua luajit tclsh wish rscript r julia ' +
    'groovy jshell osascript expect sqlite3 psql mysql gdb lldb less more most man vi vim nvim view ex ed emacs nano dc ' +
    'm4 crontab at batch alias unalias export readonly declare typeset local read set unset hash enable shopt mapfile ' +
    'readarray let getopts compgen complete bind fc',
);

/** Programs that run the one which their own words name. */
export const wrappers = setOf(
  'sudo doas su runuser setpriv pkexec env xargs parallel nohup nice ionice chrt taskset timeout time stdbuf setsid ' +
    'unshare nsenter chroot strace ltrace script watch flock ssh command builtin exec busybox toybox entr systemd-run ' +
    'start-stop-daemon unbuffer rlwrap tmux screen catchsegv setarch valgrind perf proot fakeroot faketime jobs',
);

/** Those that give what they run to a shell, as one text. */
export const joiners = setOf('su runuser parallel script watch flock ssh entr tmux screen');

/** A program by its name alone. Some systems take it in any case. */
export const programOf = (word = ''): string =>
  word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(python|pypy|lua|perl|ruby|php|node)[\d.]+$/, '$1')
    .replace(/^(?:g(?=(?:find|tar|sed|awk|make|sort|split|timeout|env|xargs)$)|[mn](?=awk$))/, '');
