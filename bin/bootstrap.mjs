/**
 * Makes a clone ready and runs one of its TypeScript files: a Node that is new enough, the dependencies of the
 * lock file, then `node FILE …`. Plain JavaScript without dependencies, for any Node >= 18. Silent when all is in place.
 *
 *   node bin/bootstrap.mjs scripts/test.ts [ARGUMENTS]
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that runs TypeScript files as they are and has SQLite. */
const oldest = [22, 18];

/** The Node that is fetched where the machine's is older: npm has its binary in one package a platform. */
const nodeVersion = '24.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';

/** Runs a TypeScript file of this clone under a fitting Node, and ends as it ends. */
export function runInClone(file, words) {
  try {
    const node = fittingNode();
    installDependencies(node);
    runAndEnd(node, [join(root, file), ...words]);
  } catch (error) {
    say(error.message);
    process.exit(1);
  }
}

/** Whether this is a clone (its sources are here) rather than an installed package. */
export const isClone = existsSync(join(root, 'src', 'cli', 'main.ts'));

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

export const oldestNode = oldest.join('.');

function say(text) {
  process.stderr.write(`reprise: ${text}\n`);
}

function cacheFolder() {
  const base = { darwin: join(homedir(), 'Library', 'Caches'), win32: process.env.LOCALAPPDATA }[
    process.platform
  ];
  return join(process.env.XDG_CACHE_HOME || base || join(homedir(), '.cache'), 'reprise');
}

export function fittingNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const folder = join(cacheFolder(), `node-${nodeVersion}`);
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  const node = join(folder, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  say(
    `this machine's Node ${process.versions.node} is older than ${oldestNode}; fetching Node ${nodeVersion} (once) …`,
  );
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  npm(
    ['install', '--prefix', scratch, `${name}@${nodeVersion}`],
    scratch,
    process.execPath,
    'Node could not be fetched',
  );
  // Renaming is atomic; where another process was quicker, its copy serves as well.
  try {
    renameSync(scratch, folder);
  } catch {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (!existsSync(node))
    throw new Error(`Node ${nodeVersion} could not be fetched; install Node >= ${oldestNode}`);
  return node;
}

function installDependencies(node) {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.reprise-lock-hash');
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isInstalled()) return;
  withLock(join(root, '.installing'), () => {
    if (isInstalled()) return;
    say('installing the dependencies of package-lock.json (once) …');
    npm(['ci'], root, node, 'the dependencies could not be installed');
    writeFileSync(stamp, wanted);
  });
}

/** Two commands that start at once must not both install: the second waits, and finds it done. */
function withLock(folder, work) {
  for (;;) {
    try {
      mkdirSync(folder);
      break;
    } catch {
      const holder = Number(existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8'));
      if (holder > 0 && !isAlive(holder)) rmSync(folder, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    writeFileSync(join(folder, 'pid'), String(process.pid));
    work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs npm under a given Node: under an older one it would silently pick older versions. Its output is progress. */
function npm(words, cwd, node, problem) {
  const { status, error } = spawnSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: windows,
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  if (error) throw new Error(`${problem}: npm: ${error.message}`);
  if (status !== 0) throw new Error(`${problem} (npm exited with ${status})`);
}

/** A terminal sends Ctrl-C to both processes: this one leaves the answer to the other. */
export function runAndEnd(node, words) {
  const child = spawn(node, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  }
  child.on('error', (error) => {
    say(error.message);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, ...words] = process.argv.slice(2);
  runInClone(file, words);
}
