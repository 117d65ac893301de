import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Makes a copy of this package that has another version and another bundle of workflows, so that its workers have another
 * build id.
 *
 * @returns the path of its command line's program
 */
export function makeNextVersion(folder: string): string {
  mkdirSync(folder);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: `${manifest.version}-next` }));
  appendFileSync(join(folder, 'src/workflows/index.ts'), '\nexport const isNext = true;\n');
  return join(folder, 'src/cli/main.ts');
}
