/**
 * `npm run build`: compiles `src` to `dist/`, bundles the workflows so that an installed worker starts at once, and writes
 * the JSON schemas of configurations.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
const built = pathToFileURL(resolve('dist/worker/workflow-bundle.js')).href;
const { ownParts } = (await import(built)) as typeof import('../src/worker/workflow-bundle.ts');
const { code } = await bundleWorkflowCode({
  workflowsPath: resolve('dist/workflows/index.js'),
  ...ownParts,
});
writeFileSync('dist/workflow-bundle.js', code);
await import('./schemas.ts');
