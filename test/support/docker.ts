import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A program `docker` that records its arguments, and runs the commands of containers in the folder that they mount. */
export interface StandInDocker {
  /** Variables by which it is found in the place of a real one. */
  environment: Record<string, string>;
  folder: string;
  /** The arguments of all its calls. */
  calls(): string[][];
  /** What it answers to `info` from now on; an empty text for an engine that does not answer. */
  answer(info: string): void;
  /** Containers that it lists as leftovers: an id and the label of each, in a line. */
  leave(listed: string): void;
}

const program = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const args = process.argv.slice(2);
const file = (name) => join(__dirname, name);
appendFileSync(file('calls'), JSON.stringify(args) + '\\n');
const after = (flag) => args[args.indexOf(flag) + 1];
const [verb] = args;
if (verb === 'info') {
  const info = readFileSync(file('info'), 'utf8');
  if (info === '') {
    console.error('Cannot connect to the Docker daemon');
    process.exit(1);
  }
  console.log(info);
} else if (verb === 'image') {
  process.exit(args.at(-1) === 'missing' ? 1 : 0);
} else if (verb === 'ps') {
  process.stdout.write(readFileSync(file('left'), 'utf8'));
} else if (verb === 'rm') {
  for (const name of args.slice(2)) {
    // One that is just being started ends itself.
    writeFileSync(file(name + '.removed'), '');
    try {
      process.kill(-Number(readFileSync(file(name), 'utf8')), 'SIGKILL');
    } catch {}
  }
} else if (verb === 'run') {
  if (args.includes('refused')) {
    console.error('docker: Error response from daemon: it does not want to.');
    process.exit(125);
  }
  const mount = args.find((each) => each.endsWith('target=/workspace'));
  const folder = /source=([^,"]*)/.exec(mount)[1];
  // The command alone: what stands around it ends every process that it may end.
  const child = spawn('sh', ['-c', 'exec 2>&1; ' + args.at(-1)], { cwd: folder, stdio: ['ignore', 1, 2], detached: true });
  const name = after('--name');
  writeFileSync(file(name), String(child.pid));
  if (existsSync(file(name + '.removed'))) process.kill(-child.pid, 'SIGKILL');
  child.on('exit', (code) => process.exit(code ?? 137));
}
`;

export function standInDocker(): StandInDocker {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-docker-'));
  const write = (name: string, text: string, mode = 0o644): void => writeFileSync(join(folder, name), text, { mode });
  write('docker', program, 0o755);
  mkdirSync(join(folder, 'home'));
  write('info', '28.2.2 ["name=seccomp,profile=builtin"]');
  write('left', '');
  appendFileSync(join(folder, 'calls'), '');
  return {
    folder,
    environment: { PATH: `${folder}${delimiter}${process.env['PATH']}`, HOME: join(folder, 'home') },
    calls: () =>
      readFileSync(join(folder, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as string[]),
    answer: (info) => write('info', info),
    leave: (listed) => write('left', listed),
  };
}
