import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Environment } from '../../util/environment.ts';
import { execute, isAlive } from '../../util/processes.ts';
import type { Owner } from '../workspaces/folder.ts';
import { commandLimits, diskTrouble, runProcess, type ProcessEnd } from './process.ts';
import type { CommandOrder } from './local.ts';

/** The image of commands, unless `REPRISE_DOCKER_IMAGE` names another one: Debian with Python, git, make and a compiler. */
export const defaultImage = 'python:3.13.5-bookworm';

/** What containers of commands are labelled with: the machine and the process of their worker. */
const label = 'reprise.command';

/** The user that nobody is, for commands of a worker that is root. */
const nobody: Owner = { uid: 65_534, gid: 65_534 };

/** What the docker command needs of the worker's variables, which say where the engine is. */
const passedOn =
  'PATH HOME DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY XDG_RUNTIME_DIR'.split(' ');

interface DockerSettings {
  image: string;
  /** `none` for no network. */
  network: string;
  env: Record<string, string>;
}

export function dockerSettings(environment: Environment): DockerSettings {
  const { REPRISE_DOCKER_IMAGE: image = defaultImage, REPRISE_DOCKER_NETWORK: network = 'none' } = environment;
  const env = Object.fromEntries(
    passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  return { image, env, network };
}

export interface DockerEngine extends DockerSettings {
  /** Whose the files are that commands change; undefined for this process's user. */
  owner: Owner | undefined;
  user: string;
}

/** Asks the engine whether commands can run, and removes containers of workers that have died. */
export async function findEngine(settings: DockerSettings): Promise<DockerEngine | { problem: string }> {
  const { env, image } = settings;
  const info = await docker(['info', '--format', '{{.ServerVersion}} {{json .SecurityOptions}}'], env);
  const [version = ''] = info.output.split(' ');
  if (info.code === undefined)
    return {
      problem: 'there is no program "docker" on the PATH of the worker; install Docker, or allow local commands',
    };
  if (info.code !== 0 || !/^\d/.test(version)) {
    const why = info.errors.trim().split('\n')[0] || 'it takes too long';
    return { problem: `no Docker engine answers (${why}); start it, or name it by DOCKER_HOST` };
  }
  const found = await docker(['image', 'inspect', '--format', '{{.Id}}', image], env);
  if (found.code !== 0) return { problem: `the image ${image} is not on this machine; fetch it: docker pull ${image}` };
  await removeLeftovers(env);
  const [uid, gid] = [process.getuid?.() ?? nobody.uid, process.getgid?.() ?? nobody.gid];
  // There the user 0 of a container is the engine's own one, who is not root outside
  // (https://docs.docker.com/engine/security/rootless/).
  if (info.output.includes('name=rootless')) return { ...settings, owner: undefined, user: '0:0' };
  const owner = uid === 0 ? nobody : undefined;
  return { ...settings, owner, user: owner === undefined ? `${uid}:${gid}` : `${owner.uid}:${owner.gid}` };
}

/**
 * The first process of a container, which nothing in it can kill: it reads the pipe to its standard input, which is closed
 * when the worker ends, and ends with that or with the command, and the container with it. Some shells do not look after their
 * children while they read, so that the command's end comes as a signal too; a read that a signal has interrupted is begun
 * again. Who ends the container from outside is an engine that ends itself.
 */
const script = `exec 3<&0 4>&2 </dev/null 2>&1
umask 022
over() {
  told=1 state=
  read -r _ _ state _ <"/proc/$command/stat"
  [ "$state" = Z ] || [ ! -e "/proc/$command" ] || return
  trap - CHLD USR1
  wait "$command"
  exit $?
} 2>/dev/null
trap over CHLD USR1
trap 'echo "the engine has ended the container" >&4; exit 125' TERM
(
  sh -c "$1"
  code=$?
  while kill -USR1 $$; do sleep 0.1 || sleep 1; done 2>/dev/null &
  exit $code
) 3<&- 4>&- & command=$!
while told=; read -r _ <&3 || [ "$told" ]; do :; done
exit 137`;

/** The arguments of `docker` that run a command (https://docs.docker.com/reference/cli/docker/container/run/). */
function runArguments(
  { image, network, user }: DockerEngine,
  { command, folder, name, readOnly }: { command: string; folder: string; name: string; readOnly: string[] },
): string[] {
  const { cpus, file, memory, openFiles, processes, shared, temporary } = commandLimits;
  const mounts = [
    bind(folder, '/workspace'),
    ...readOnly.map((each) => `${bind(`${folder}/${each}`, `/workspace/${each}`)},readonly`),
  ];
  const parts = [
    ['run', '--rm', '--interactive', '--name', name, '--label', `${label}=${hostname()}:${process.pid}`],
    ['--pull', 'never', '--log-driver', 'none', '--network', network, '--hostname', 'workspace'],
    ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', user],
    ['--pids-limit', String(processes), '--memory', String(memory), '--memory-swap', String(memory)],
    ['--cpus', String(cpus), '--ulimit', `fsize=${file}`, '--ulimit', `nofile=${openFiles}`, '--ulimit', 'core=0'],
    ['--tmpfs', `/tmp:rw,nosuid,nodev,mode=1777,size=${temporary}`, '--shm-size', String(shared)],
    mounts.flatMap((mount) => ['--mount', mount]),
    ['--workdir', '/workspace', '--env', 'HOME=/tmp', '--env', 'LANG=C.UTF-8'],
    ['--entrypoint', 'sh', image, '-c', script, 'sh', command],
  ];
  return parts.flat();
}

/** A value of `--mount`, which is a line of CSV. */
const bind = (source: string, target: string): string =>
  ['type=bind', `source=${source}`, `target=${target}`]
    .map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');

/** The exit code by which `docker run`, and the first process, say that the container could not be run. */
const engineFailed = 125;

/**
 * Runs a command in a container that has the folder and nothing else of the machine, and ends with this call.
 *
 * @param readOnly names of folders in it that cannot be written
 * @throws `Error` if the engine cannot run it; the signal's reason if that is aborted
 */
export async function runInDocker(
  engine: DockerEngine,
  { command, folder, onOutput, signal, timeout }: Omit<CommandOrder, 'scratch'>,
  readOnly: string[],
): Promise<ProcessEnd> {
  const name = `reprise-${randomUUID()}`;
  const { env } = engine;
  const end = await runProcess({
    onOutput,
    signal,
    timeout,
    file: 'docker',
    args: runArguments(engine, { command, folder, name, readOnly }),
    cwd: '/',
    env,
    control: (child) => ({
      async end() {
        // It is gone already if it has ended by itself.
        if (child.exitCode === null && child.signalCode === null) await docker(['rm', '--force', name], env);
        child.kill('SIGKILL');
      },
      trouble: () => diskTrouble(folder),
    }),
  });
  if (end.code === engineFailed && end.errors !== '' && end.ended === undefined)
    throw new Error(`docker could not run the command: ${end.errors.trim()}`);
  return end;
}

async function removeLeftovers(env: Record<string, string>): Promise<void> {
  const listed = await docker(
    ['ps', '--all', '--filter', `label=${label}`, '--format', `{{.ID}} {{.Label "${label}"}}`],
    env,
  );
  const dead = listed.output.split('\n').flatMap((line) => {
    const [id = '', of = ''] = line.split(' ');
    const [host, pid] = [of.slice(0, of.lastIndexOf(':')), Number(of.slice(of.lastIndexOf(':') + 1))];
    return host === hostname() && pid > 0 && !isAlive(pid) ? [id] : [];
  });
  if (dead.length > 0) await docker(['rm', '--force', ...dead], env);
}

const docker = (args: string[], env: Record<string, string>): ReturnType<typeof execute> =>
  execute(['docker', ...args], env);
