/** What programs are called that run others, and by which other names they are known. */

export const setOf = (names: string): Set<string> => new Set(names.split(' '));

/** Shells, and what a shell has to run a text or a file in itself. */
export const shells = setOf(
  'sh bash dash ash rbash zsh ksh rksh mksh oksh lksh posh yash fish csh tcsh nu elvish xonsh pwsh powershell cmd eval ' +
    'source . trap alias',
);

/** Interpreters, and programs that have commands of their own by which they run others. */
export const interpreters = setOf(
  'python ipython pypy node nodejs deno bun tsx ts-node npx bunx uvx pipx perl ruby irb php lua luajit tclsh wish ' +
    'rscript r julia groovy jshell guile osascript expect sqlite3 psql mysql mariadb gdb gdb-multiarch lldb less zless ' +
    'bzless xzless more zmore most pager sensible-pager man vi vim rvim gvim vimdiff nvim view rview ex editor ' +
    'sensible-editor ed emacs nano pico dc m4 crontab at batch unalias export readonly declare typeset local read ' +
    'set unset hash enable shopt mapfile readarray let getopts compgen complete bind fc',
);

/** Interpreters that hand on whatever stands behind the script, or the program of a package. */
export const handing = setOf('python pypy node nodejs npx bunx uvx tsx ts-node perl ruby lua rscript');

/** Programs that run the one which their own words name. */
export const wrappers = setOf(
  'sudo doas su runuser setpriv pkexec env xargs parallel nohup nice ionice chrt taskset timeout time stdbuf setsid ' +
    'unshare nsenter chroot strace ltrace script watch flock ssh command builtin exec busybox toybox entr systemd-run ' +
    'start-stop-daemon unbuffer rlwrap tmux screen catchsegv setarch valgrind perf proot fakeroot faketime jobs ' +
    'prlimit choom linux32 linux64 i386 x86_64 uname26 arch runcon numactl eatmydata logsave ssh-agent sshpass autossh ' +
    'mosh dbus-run-session systemd-inhibit caffeinate gosu su-exec sg capsh setuidgid chpst softlimit cgexec coreutils ' +
    'firejail bwrap fakechroot torsocks proxychains proxychains4 xvfb-run tini dumb-init chronic ifne run-one ' +
    'cpulimit trickle daemonize ccache distcc bear hyperfine watchexec cross-env dotenv dotenvx ld.so ' +
    'run0 srun mpirun mpiexec xcrun pee sem niceload winpty wsl nix-shell concurrently systemd-nspawn ' +
    'flatpak-spawn aa-exec asciinema xterm nodemon dtach openvt envdir schedtool dbus-launch',
);

/** Those that do so behind `run` or `exec`. */
export const launchers = setOf(
  'docker docker-compose podman nerdctl kubectl crictl lxc singularity apptainer uv poetry pipenv pdm hatch rye pixi ' +
    'conda mamba bundle direnv mise asdf rbenv pyenv nvm fnm rustup opam stack nix lerna ip foreman honcho heroku ' +
    'aws-vault op',
);

/** Those that give what they run to a shell, as one text. */
export const joiners = setOf(
  'su runuser parallel script watch flock ssh autossh mosh entr tmux screen sg capsh hyperfine watchexec pee sem ' +
    'nix-shell concurrently asciinema nodemon',
);

/** Further names of some. */
const aliases = new Map(
  Object.entries({
    apt: 'apt-cache apt-get',
    awk: 'original-awk',
    bat: 'batcat',
    cc: 'c89 c99 cpp gccgo gfortran',
    fd: 'fdfind',
    find: 'bfs',
    kubectl: 'oc',
    ld: 'ld.bfd ld.gold ld.lld mold nm ranlib strip',
    make: 'bmake mingw32-make remake',
    nc: 'ncat nc.openbsd nc.traditional netcat',
    ssh: 'slogin',
    tar: 'bsdtar',
    yarn: 'yarnpkg',
    'yt-dlp': 'youtube-dl',
  }).flatMap(([usual, others]) => others.split(' ').map((other) => [other, usual] as const)),
);

/** A program by its name alone, and by its usual one. Some systems take it in any case. */
export function programOf(word = ''): string {
  const name = word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/^((?:ba|da|k|mk|z)?sh)[.-][\w.]+$/, '$1')
    .replace(/^(python|ipython|pypy|lua|perl|ruby|php|node|tclsh|wish|ksh)[\d.]+(?:-[\w.-]+|[dmtw])?$/, '$1')
    .replace(/^(vim?|nvim)\.[\w-]+$/, '$1')
    .replace(
      /^(?:[\w.]+-)*(c\+\+|cc|clang|clang\+\+|cpp|g\+\+|gcc|gccgo|gfortran|ld)(?:-[\d.]+)?(?:-posix|-win32)?$/,
      '$1',
    )
    .replace(/^(?:pdf|xe|lua)?(?:la)?tex$/, 'tex')
    // What loads programs, which may also be told to.
    .replace(/^ld[\w.-]*\.so[\d.]*$/, 'ld.so')
    .replace(
      /^(?:g(?=(?:find|tar|sed|awk|make|sort|shuf|split|printf|test|uniq|timeout|env|xargs|nice|nohup|stdbuf|chroot)$)|[mn](?=awk$))/,
      '',
    );
  return aliases.get(name) ?? name;
}
