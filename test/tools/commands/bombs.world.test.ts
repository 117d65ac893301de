import { attacked, type Attack } from '../../support/command-attacks.ts';

const processes: Attack[] = [
  ['a chain of a few hundred processes', 'i=0; while [ $i -lt 600 ]; do SLEEP & i=$((i+1)); done; wait', 20],
  ['a bomb of processes', 'bomb() { bomb | bomb & SLEEP; }; bomb', 2],
];

const takers: Attack[] = [
  ['endless output', 'yes'],
  ['endless output without a line break', 'cat /dev/zero'],
  ['endless errors', 'yes >&2'],
  ['an endless line of half characters', 'while :; do printf "\\303"; done', 2],
  ['a command that waits for somebody to type', 'cat; read x; echo "[$x]"'],
  ['a loop that does nothing', 'while :; do :; done', 1],
  ['a file that grows without end', 'cat /dev/zero > big', 20],
  ['memory without end', 'python3 -c "x=[]\nwhile True: x.append(bytearray(50_000_000))"', 20],
  [
    'memory without end by many processes',
    'for i in 1 2 3 4 5 6; do python3 -c "import time; x=bytearray(900_000_000); time.sleep(100)" & done; wait',
    20,
  ],
];

attacked([...processes, ...takers]);
