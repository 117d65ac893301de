import { attacked, type Attack } from '../../support/command-attacks.ts';

const links: Attack[] = [
  ['a link to a file outside', 'ln -s OUT/secret link'],
  ['a link to a folder outside', 'ln -s OUT folder'],
  ['a relative link that leads out', 'ln -s ../../../../../../../../../../../../OUT/secret link'],
  [
    'a link that leads out by way of another one',
    'mkdir -p a/b && ln -s .. a/b/up && ln -s a/b/up/../../../../secret link',
  ],
  ['a link to itself', 'ln -s me me'],
  ['links in a circle', 'ln -s b a; ln -s a b'],
  ['a folder that links to its own folder', 'mkdir d; ln -s . d/d; ln -s .. d/up'],
  ['a link to a process’s folder', 'ln -s /proc/self/root root; ln -s /proc/1/cwd cwd'],
  ['a link to a device', 'ln -s /dev/zero zero; ln -s /dev/stdin in'],
  ['a fifo', 'mkfifo fifo'],
  ['a fifo in the place of a file', 'echo x > a; rm a; mkfifo a'],
  ['a socket', 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'socket\')" || true'],
  ['a device', 'mknod device c 1 5 || true'],
  ['the folder of the workspace replaced by a link', 'cd .. && mv workspace away && ln -s OUT workspace'],
  [
    'the folder above replaced by a link',
    'cd ../.. && for d in [0-9]*; do mv $d away$d && mkdir fake && ln -s OUT $d; done; true',
  ],
  ['the folder of the workspace deleted', 'rmdir "$PWD"; true'],
  ['another folder in its place', 'cd .. && mv workspace away && mkdir workspace && cp OUT/secret workspace/'],
  [
    'an archive with members that lead out',
    "python3 -c \"import tarfile,io; t=tarfile.open('a.tar','w'); i=tarfile.TarInfo('../../escaped'); i.size=1; t.addfile(i,io.BytesIO(b'x'))\" && tar xf a.tar; true",
  ],
  [
    'a configuration of git with a hook',
    'mkdir -p .git/hooks && printf "[core]\\n\\tfsmonitor = touch OUT/hooked\\n" > .git/config',
  ],
];

const names: Attack[] = [
  ['names with line breaks', 'touch "$(printf "a\\nb")"'],
  ['names with control characters', 'touch "$(printf "a\\033[2Jb")" "$(printf "x\\ty")"'],
  ['names that are no UTF-8', 'touch "$(printf "a\\377b")"'],
  ['names with backslashes', 'touch "a\\\\b" "..\\\\..\\\\x"'],
  ['names like options', 'touch -- -rf --help "-e x"'],
  ['names of 255 bytes', 'touch "$(printf %0255d 0)"'],
  ['a path deeper than any may be', 'for i in $(seq 200); do mkdir d && cd d; done; touch bottom'],
  [
    'folders in one another beyond the longest path',
    'n=$(printf %0200d 0); for i in $(seq 60); do mkdir $n && cd -P $n || break; done 2>/dev/null; true',
  ],
  ['a name of a mark that stands for what cannot be read', 'touch "$(printf "\\357\\277\\275")"'],
  ['names that differ by case or form alone', 'touch a A "$(printf "\\303\\251")" "$(printf "e\\314\\201")"'],
];

const sizes: Attack[] = [
  ['a sparse file of a terabyte', 'truncate -s 1T sparse 2>&1; true'],
  ['a sparse file that is larger than any kept one', 'truncate -s 900M sparse'],
  ['more files than there may be', 'seq 20001 | xargs touch'],
  ['more folders than there may be', 'seq 20001 | xargs mkdir'],
  ['folders without permissions', 'mkdir -p shut/in && touch shut/in/file && chmod 000 shut/in shut'],
  ['files without permissions', 'touch shut && chmod 000 shut'],
  ['a folder that cannot be written', 'mkdir fixed && touch fixed/file && chmod 555 fixed'],
  ['files of the greatest permissions', 'touch a && chmod 7777 a && mkdir d && chmod 1777 d'],
];

const processes: Attack[] = [
  ['a process in the background', 'SLEEP & echo'],
  ['one without hang-ups', 'nohup SLEEP >/dev/null 2>&1 & echo'],
  ['one in a session of its own', 'setsid SLEEP >/dev/null 2>&1 & echo'],
  ['one that is nobody’s child any more', '(setsid sh -c "(SLEEP &) &" &) ; echo'],
  ['one that has thrown its environment away', 'env -i setsid /bin/sh -c "SLEEP" & echo'],
  ['one that ignores every signal', 'sh -c "trap \'\' TERM INT HUP QUIT; SLEEP" & echo'],
  ['one that has stopped itself', 'sh -c "kill -STOP \\$\\$; SLEEP" & sleep 0.2'],
  ['one that holds the output', 'setsid SLEEP & exit 0'],
  ['one that starts itself anew', 'cat > a.sh <<"END"\nsetsid sh a.sh &\nSLEEP\nEND\ntimeout 0.2 sh a.sh; true'],
  ['one that goes on after the time is over', 'setsid SLEEP & SLEEP', 1],
  ['a signal to all processes of its group', 'kill -9 0'],
];

attacked([...links, ...names, ...sizes, ...processes]);
