import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../../src/local/temporal-cli.ts';
import { builtByGo, moduleFolder, temporalBinaries, temporalModule } from '../cluster/binaries.ts';
import { imagesIn } from '../pin-images.ts';
import { docker, run, tried } from './programs.ts';

type Say = (text: string) => void;

const folder = join(import.meta.dirname, 'images');
const base = 'stand-in/base';
const npmVersion = '11.21.2';

/** The files of each image besides its Dockerfile and what lies beside that: a function that puts them into a folder. */
const standIns: Record<string, (context: string, tag: string, say: Say) => Promise<void>> = {
  async node(context, tag) {
    const version = tag.replace(/-.*/, '');
    const node = `node@npm:node-linux-${process.arch}@${version}`;
    await run(['npm', 'install', '--prefix', context, '--no-audit', '--no-fund', node, `npm@${npmVersion}`]);
  },
  async postgres() {},
  async python() {},
  async 'temporalio/server'(context, _, say) {
    cpSync(temporalBinaries(say).server, join(context, 'temporal-server'));
    cpSync(join(moduleFolder(temporalModule), 'docker/scripts/sh/entrypoint.sh'), join(context, 'entrypoint.sh'));
  },
  async 'temporalio/admin-tools'(context, _, say) {
    cpSync(temporalBinaries(say).sql, join(context, 'temporal-sql-tool'));
    cpSync(await findTemporalCli(say), join(context, 'temporal'));
    cpSync(join(moduleFolder(temporalModule), 'schema'), join(context, 'schema'), { recursive: true });
  },
  async 'temporalio/ui'(context, tag, say) {
    const module = 'github.com/temporalio/ui-server/v2';
    cpSync(builtByGo('ui-server', `${module}/cmd/server@v${tag}`, say), join(context, 'ui-server'));
    const files = moduleFolder(`${module}@v${tag}`);
    cpSync(join(files, 'docker/start-ui-server.sh'), join(context, 'start-ui-server.sh'));
    cpSync(join(files, 'config/docker.yaml'), join(context, 'docker.yaml'));
  },
};

/**
 * Makes an image that stands in for one that cannot be pulled, from Debian, npm and Go modules, unless the engine has it.
 *
 * @param image as a file names it, with its tag
 * @returns its name, with a tag for its content
 */
async function standInFor(image: string, say: Say): Promise<string> {
  const [name = '', tag = ''] = image.split(':');
  const short = name.split('/').at(-1) ?? '';
  const files = readdirSync(folder).filter((each) => each.startsWith(`${short}.`));
  const texts = files.map((each) => readFileSync(join(folder, each), 'utf8'));
  const hash = createHash('sha256')
    .update([image, npmVersion, temporalModule, ...texts].join('\0'))
    .digest('hex');
  const made = `stand-in/${short}:${hash.slice(0, 16)}`;
  if ((await tried(['docker', 'image', 'inspect', made])).code === 0) return made;
  await makeBase(say);
  say(`Making ${made} in the place of ${image} …`);
  const context = mkdtempSync(join(tmpdir(), 'reprise-stand-in-'));
  for (const each of files) cpSync(join(folder, each), join(context, each));
  await standIns[name]?.(context, tag, say);
  const file = join(context, `${short}.Dockerfile`);
  await docker('build', '--quiet', '--network', 'host', '--tag', made, '--file', file, context);
  rmSync(context, { recursive: true, force: true });
  return made;
}

/** The base of all of them: Debian, which trusts whom this machine trusts. */
async function makeBase(say: Say): Promise<void> {
  if ((await tried(['docker', 'image', 'inspect', base])).code === 0) return;
  say(`Making ${base} by debootstrap …`);
  const root = mkdtempSync(join(tmpdir(), 'reprise-debian-'));
  await run(['debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root]).catch(
    (error: Error) => {
      throw new Error(`Debian's base is made by debootstrap, as root: ${error.message}`);
    },
  );
  const trusted = 'etc/ssl/certs/ca-certificates.crt';
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  cpSync(join('/', trusted), join(root, trusted));
  await run(['sh', '-c', 'tar -C "$1" -c . | docker import - "$2"', 'sh', root, base]);
  rmSync(root, { recursive: true, force: true });
}

/** Names stand-ins in the place of all images of a file, and leaves out their digests. */
export async function withStandIns(text: string, say: Say): Promise<string> {
  let written = text;
  for (const { name, tag, text: image } of imagesIn(text))
    written = written.replaceAll(image, await standInFor(`${name}:${tag}`, say));
  return written;
}

/** The stand-in for the image of agents' commands. */
export const commandImage = (say: Say): Promise<string> => standInFor('python:3.13.5-bookworm', say);
