import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stopUp } from '../../src/local/background.ts';
import { connect } from '../../src/client.ts';
import { readLease } from '../../src/local/lock.ts';
import { asks } from './asking.ts';
import { startModelServer } from './model-server.ts';
import { teamScript } from './team-script.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Course {
  /** How many runs wait for a person, in both projects together. */
  runs: number;
  /** How many other commands are given meanwhile, half of them after an upgrade of the package. */
  commands: number;
  /** Where the Temporal server of both projects is; each gets one of its own when it is absent. */
  address?: string;
  /** Path of the Temporal CLI. */
  temporal: string;
  /** A bundle of the present workflows, which saves the time of making one. */
  bundle?: { from: string; name: string };
  say?: (text: string) => void;
}

interface Told {
  /** The runs that did not end with the person's answer, each with what went wrong. */
  hurt: string[];
  /** The commands that failed, each with what it said. */
  failed: string[];
  /** Requests to the model that came with the key of another project. */
  wrongKeys: string[];
}

/**
 * What people do who have two projects with a key each, and three terminals: runs wait for an answer in both projects, other
 * commands come from other folders and environments, and the package is upgraded in its place.
 */
export async function sideBySide(course: Course): Promise<Told> {
  const { address, bundle, say = () => {}, temporal } = course;
  const folder = mkdtempSync(join(tmpdir(), 'reprise-side-'));
  const told: Told = { hurt: [], failed: [], wrongKeys: [] };
  const asking = asks('Which color?');
  const answering = teamScript();
  const model = await startModelServer((seen) => {
    const key = String(seen.headers['authorization']);
    const [, project] = /of project (\w+)/.exec(seen.prompt) ?? [];
    if (project !== undefined && key !== `Bearer test-key-${project}`) told.wrongKeys.push(`${project}: ${key}`);
    return project === undefined ? answering(seen) : asking(seen);
  });

  const main = join(folder, 'package', 'src', 'cli', 'main.ts');
  copyPackage(join(folder, 'package'));
  const projects = ['one', 'two'].map((name) => makeProject(join(folder, name), name, bundle));
  const run = async (cwd: string, words: string[], variables: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [main, ...words], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        XDG_CACHE_HOME: join(root, 'node_modules', '.cache'),
        TEMPORAL_CLI_PATH: temporal,
        OPENAI_BASE_URL: model.openai,
        ...(address !== undefined && { TEMPORAL_ADDRESS: address }),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [status] = (await once(child, 'close')) as [number | null];
    say(`${words[0]} in ${cwd.slice(folder.length + 1)}: ${status}`);
    if (status !== 0) told.failed.push(`${words.join(' ')}: ${status}\n${stderr}`);
    return stdout;
  };

  try {
    const waiting = Array.from({ length: course.runs }, (_, index) => ({
      id: `waiting-${index}`,
      project: projects[index % 2]!,
    }));
    for (const { id, project } of waiting) {
      const words = ['ask', '--detach', '--config', 'team.yaml', '--id', id, `A house of project ${project.name}`];
      await run(project.folder, words, project.keys);
    }
    // No question of a run that has not begun would ever come.
    if (told.failed.length > 0) return told;
    for (const { folder: cwd } of projects) {
      const own = readLease(join(cwd, '.reprise'))?.address ?? address;
      await using reprise = await connect(own === undefined ? {} : { address: own });
      const wanted = address === undefined ? course.runs / 2 : course.runs;
      // No event tells.
      while ((await reprise.inbox()).length < wanted) await pause(200);
    }

    const others = unrelated(folder, projects);
    for (let index = 0; index < course.commands; index++) {
      if (index === Math.floor(course.commands / 2)) upgrade(join(folder, 'package'));
      const { cwd, words, keys } = others[index % others.length]!;
      await run(cwd, words, keys);
    }

    for (const { id, project } of waiting) await run(project.folder, ['answer', id, 'Blue'], project.keys);
    for (const { id, project } of waiting) {
      const result = await run(project.folder, ['watch', id, '--json'], project.keys);
      const { answer } = JSON.parse(result || '{}') as { answer?: string };
      if (answer !== 'Told: Blue.') told.hurt.push(`${id}: ${answer}`);
    }
    return told;
  } finally {
    for (const { folder: each } of projects) await stopUp(join(each, '.reprise'));
    await stopUp(join(folder, 'three', '.reprise'));
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Project {
  name: string;
  folder: string;
  keys: Record<string, string>;
}

const team = `agents:
  - id: agent_a
    system_message: I am agent_a.
    backend: { type: openai, model: test-model }
orchestrator:
  coordination: { broadcast: human, broadcast_timeout: 3000 }
`;

function makeProject(folder: string, name: string, bundle: Course['bundle']): Project {
  mkdirSync(join(folder, '.reprise', 'bundles'), { recursive: true });
  if (bundle !== undefined) cpSync(bundle.from, join(folder, '.reprise', 'bundles', bundle.name));
  writeFileSync(join(folder, 'team.yaml'), team);
  return { name, folder, keys: { OPENAI_API_KEY: `test-key-${name}` } };
}

/** Commands that have nothing to do with the runs that wait: without a key, with another one, from other folders. */
function unrelated(folder: string, [one, two]: Project[]) {
  const three = join(folder, 'three');
  mkdirSync(three);
  const other = { OPENAI_API_KEY: 'test-key-other' };
  return [
    { cwd: one!.folder, words: ['ask', 'How many attempts?'], keys: {} },
    { cwd: two!.folder, words: ['ask', 'Say hello.'], keys: other },
    { cwd: one!.folder, words: ['inbox'], keys: {} },
    { cwd: three, words: ['ask', 'How many restarts?'], keys: { REPRISE_HOME: join(one!.folder, '.reprise') } },
    { cwd: two!.folder, words: ['validate', 'team.yaml'], keys: {} },
    { cwd: three, words: ['ask', 'Say hello.'], keys: two!.keys },
    { cwd: one!.folder, words: ['stats'], keys: other },
    { cwd: two!.folder, words: ['chat', 'Hello.'], keys: one!.keys },
    { cwd: two!.folder, words: ['research', 'a kite', '--detach'], keys: {} },
    { cwd: one!.folder, words: ['ask', 'Say hello.'], keys: { ...one!.keys, TAVILY_API_KEY: 'test-key-tavily' } },
  ];
}

function copyPackage(folder: string): void {
  mkdirSync(folder);
  for (const name of ['src', 'docs', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Puts another version in the package's place, as `npm update` does, while its workers run. */
function upgrade(folder: string): void {
  const manifest = join(folder, 'package.json');
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as object;
  writeFileSync(manifest, JSON.stringify({ ...content, version: '99.0.0' }));
  const names = join(folder, 'src', 'client', 'names.ts');
  writeFileSync(names, `${readFileSync(names, 'utf8')}\n// Changed.\n`);
}
