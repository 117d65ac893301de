/**
 * Pins the container images of the Dockerfile and of docker-compose.yml by digest: asks the registry which digest each tag has
 * now, and writes it behind the tag. With `--check` it writes nothing, and exits with 1 where an image is not pinned.
 *
 *   node scripts/pin-images.ts [--check] [FILE…]
 */
import { readFileSync, writeFileSync } from 'node:fs';

const files = ['Dockerfile', 'docker-compose.yml'];

/** An image of Docker Hub in a file: where it stands, and what it says. */
export interface Image {
  /** As it is written, with the digest if it has one. */
  text: string;
  name: string;
  tag: string;
  digest: string | undefined;
}

/** The images that a file takes from a registry, without the stages of a Dockerfile and the image that compose builds. */
export function imagesIn(text: string): Image[] {
  const found = text.matchAll(/^(?:FROM|\s+image:)\s+(([a-z0-9./-]+):([\w.-]+)(?:@(sha256:[0-9a-f]{64}))?)(?=\s|$)/gm);
  return [...found].map(([, whole = '', name = '', tag = '', digest]) => ({ text: whole, name, tag, digest }));
}

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/**
 * The digest that a tag has now, for all platforms, by the registry's API
 * (https://github.com/opencontainers/distribution-spec/blob/main/spec.md).
 *
 * @throws `Error` where the registry does not answer with one
 */
export async function digestOf(
  { name, tag }: Pick<Image, 'name' | 'tag'>,
  registry = 'https://registry-1.docker.io',
  auth = 'https://auth.docker.io/token?service=registry.docker.io',
): Promise<string> {
  const repository = name.includes('/') ? name : `library/${name}`;
  const granted = await fetch(`${auth}&scope=repository:${repository}:pull`);
  const { token } = (await granted.json()) as { token: string };
  const response = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { accept: manifestTypes.join(', '), authorization: `Bearer ${token}` },
  });
  const digest = response.headers.get('docker-content-digest');
  if (response.ok && digest !== null && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(`${name}:${tag}: the registry answers ${response.status} and no digest`);
}

/** A file's text with its images pinned. @param resolve finds an image's digest */
export async function pinned(text: string, resolve: (image: Image) => Promise<string>): Promise<string> {
  let written = text;
  for (const image of imagesIn(text)) {
    const digest = await resolve(image);
    written = written.replaceAll(image.text, `${image.name}:${image.tag}@${digest}`);
  }
  return written;
}

if (process.argv[1] === import.meta.filename) {
  const words = process.argv.slice(2);
  const named = words.filter((word) => !word.startsWith('--'));
  for (const file of named.length > 0 ? named : files) {
    const text = readFileSync(file, 'utf8');
    if (words.includes('--check')) {
      for (const { digest, text: image } of imagesIn(text)) {
        if (digest !== undefined) continue;
        console.error(`${file}: ${image} is not pinned; run node scripts/pin-images.ts`);
        process.exitCode = 1;
      }
    } else {
      writeFileSync(file, await pinned(text, (image) => digestOf(image)));
    }
  }
}
