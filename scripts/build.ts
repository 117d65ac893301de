/**
 * `npm run build`: compiles `src` to `dist/`, bundles the workflows so that an installed worker starts at once, and writes
 * the JSON schemas of configurations.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
const built = (name: string): Promise<unknown> => import(pathToFileURL(resolve('dist/worker', name)).href);
const { ownParts, ownWorkflows } = (await built(
  'workflow-bundle.js',
)) as typeof import('../src/worker/workflow-bundle.ts');
const { bundle } = (await built('bundler.js')) as typeof import('../src/worker/bundler.ts');
const bundled = await bundle(ownWorkflows, ownParts);
if ('error' in bundled) throw new Error(bundled.error);
writeFileSync('dist/workflow-bundle.js', bundled.code);
await import('./schemas.ts');
