import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../../src/util/folders.ts';
import { endProcess, isAlive } from '../../src/util/processes.ts';
import { go } from '../cluster/binaries.ts';
import { docker, run, tried } from './programs.ts';

/** A Docker engine that answers, with `docker compose`. */
export interface Engine {
  /** Whether it was started here, and so may be ended here. */
  isOwn: boolean;
  /** Ends the engine without warning, or as a system does that shuts down, and starts it again. Only where it is own. */
  restart(how: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  close(): Promise<void>;
}

/** How long an engine may take until it answers, in milliseconds. */
const timeoutMs = 90_000;

const answers = async (): Promise<boolean> => (await tried(['docker', 'info'])).output.includes('Server Version');

/**
 * Finds a Docker engine, or starts one where this process is root, and has `docker compose` built where it is missing.
 *
 * @throws `Error` that says what is missing
 */
export async function openEngine(say: (text: string) => void): Promise<Engine> {
  await run(['docker', '--version']).catch(() => {
    throw new Error('There is no program "docker": install Docker (Debian: apt-get install docker.io)');
  });
  if (process.env['DOCKER_CONFIG'] === undefined) await findCompose(say);
  let pid: number | undefined;
  const start = async (): Promise<void> => {
    for (const until = Date.now() + timeoutMs; !(await answers()); await pause(200)) {
      if (Date.now() > until) throw new Error(`dockerd does not answer; see ${engineLog}`);
      // After a kill it may give up once, since what it has started before is still there.
      if (pid === undefined || !isAlive(pid)) pid = startEngine();
    }
  };
  if (!(await answers())) {
    if (process.getuid?.() !== 0)
      throw new Error('No Docker engine answers, and only root can start one: start it, or name it by DOCKER_HOST');
    say('Starting dockerd …');
    await start();
  }
  return {
    isOwn: pid !== undefined,
    async restart(how) {
      if (pid === undefined) throw new Error('the engine is somebody else’s');
      process.kill(pid, how);
      await endProcess(pid);
      await start();
    },
    async close() {
      if (pid !== undefined) await endProcess(pid);
    },
  };
}

const engineLog = join(tmpdir(), 'reprise-dockerd.log');

function startEngine(): number {
  const log = openSync(engineLog, 'a');
  const child = spawn('dockerd', [], { detached: true, stdio: ['ignore', log, log] });
  child.on('error', () => {});
  child.unref();
  if (child.pid === undefined) throw new Error('There is no program "dockerd": install Docker');
  return child.pid;
}

const composeModule = 'github.com/docker/compose/v2';
const composeVersion = 'v2.40.3';

/** Has Go build Docker's plugin `compose` where there is none. */
async function findCompose(say: (text: string) => void): Promise<void> {
  if ((await tried(['docker', 'compose', 'version'])).code === 0) return;
  const folder = join(cacheFolder(), 'bin');
  const path = join(folder, 'docker-compose');
  if (!existsSync(path)) {
    say(`Building ${composeModule} ${composeVersion} into ${folder} (once; it takes minutes) …`);
    mkdirSync(folder, { recursive: true });
    // `go install` refuses a module that excludes others.
    const scratch = mkdtempSync(join(tmpdir(), 'reprise-compose-'));
    writeFileSync(join(scratch, 'go.mod'), `module x\n\ngo 1.24.9\n\nrequire ${composeModule} ${composeVersion}\n`);
    writeFileSync(join(scratch, 'main.go'), `package main\n\nimport _ "${composeModule}/cmd"\n`);
    go(['mod', 'tidy'], {}, scratch);
    const version = `-X ${composeModule}/internal.Version=${composeVersion}`;
    go(
      ['build', '-mod=mod', '-trimpath', '-ldflags', `-s -w ${version}`, '-o', path, `${composeModule}/cmd`],
      {},
      scratch,
    );
    rmSync(scratch, { recursive: true });
  }
  const config = join(cacheFolder(), 'docker');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ cliPluginsExtraDirs: [folder] }));
  process.env['DOCKER_CONFIG'] = config;
  await docker('compose', 'version');
}
