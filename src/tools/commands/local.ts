import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { execute } from '../../util/processes.ts';
import { Descendants } from './descendants.ts';
import { commandLimits, diskTrouble, runProcess, type ProcessEnd, type ProcessOrder } from './process.ts';

/** The folders exist. */
export interface CommandOrder extends Pick<ProcessOrder, 'timeout' | 'signal' | 'onOutput'> {
  command: string;
  folder: string;
  /** For the home folder and temporary files of this one command. */
  scratch: string;
}

/**
 * Linux's own means to keep together all that a command starts: in a namespace of process numbers every process ends with
 * the first one, and none sees or signals others. The first one ends with the worker (`--pdeathsig`). Not every system
 * allows it (pid_namespaces(7), unshare(1), setpriv(1)).
 */
const together = [
  ['setpriv', '--pdeathsig', 'KILL', '--'],
  ['unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'],
].flat();

let tried: ReturnType<typeof execute> | undefined;

export const canKeepTogether = async (): Promise<boolean> =>
  (await (tried ??= execute([...together, 'true']))).code === 0;

/**
 * Sets the limits that the shell can set, each where the system has it, and then runs the command (`$2`) by a shell (`$1`).
 * Sizes of files are in blocks of 512 bytes, other sizes in 1024 (POSIX, ulimit).
 */
const limited = `exec 2>&1 </dev/null
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0 2>/dev/null
ulimit -f ${commandLimits.file / 512} 2>/dev/null
ulimit -d ${commandLimits.memory / 1024} 2>/dev/null
ulimit -n ${commandLimits.openFiles} 2>/dev/null
umask 022
exec nice -n 10 "$1" -c "$2"`;

/**
 * Runs a command by this user, in the folder. Its environment has nothing of the worker's but the path of programs. It is
 * ended with all that it has started.
 *
 * @throws the signal's reason if that is aborted
 */
export async function runLocally({ command, folder, scratch, ...order }: CommandOrder): Promise<ProcessEnd> {
  const isTogether = await canKeepTogether();
  const mark = randomUUID();
  const shell = ['/bin/sh', '-c', limited, 'sh', 'sh', command];
  const [file = '', ...args] = isTogether ? [...together, ...shell] : shell;
  const end = await runProcess({
    ...order,
    file,
    args,
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: scratch,
      TMPDIR: scratch,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      // A command of git would look for a repository in the folders above, and find one that is not the agent's.
      GIT_CEILING_DIRECTORIES: dirname(folder),
      REPRISE_COMMAND: mark,
    },
    control(child) {
      const descendants = new Descendants(child.pid ?? 0, isTogether ? undefined : `REPRISE_COMMAND=${mark}`);
      return { end: () => descendants.end(), trouble: () => troubleOf(descendants, folder) };
    },
  });
  return { ...end, output: end.output.replace(ofUnshare, '') };
}

/** What `unshare` itself may say of a command that is ended, a moment before it is. */
const ofUnshare = /^unshare: sigprocmask unblock failed: .*\n?/m;

async function troubleOf(descendants: Descendants, folder: string): Promise<string | undefined> {
  const living = await descendants.find();
  if (living.length > commandLimits.processes)
    return `it had ${living.length} processes; it may have ${commandLimits.processes}`;
  const memory = living.reduce((sum, each) => sum + each.memory, 0);
  if (memory > commandLimits.memory)
    return `it took ${Math.round(memory / 1_000_000)} MB of memory; it may take ${Math.round(commandLimits.memory / 1_000_000)}`;
  return diskTrouble(folder);
}
