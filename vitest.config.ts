import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests start some hundred processes, which would otherwise compile the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  // Examples import Reprise by its name, as in a project of one's own; here that is its sources.
  ssr: { resolve: { conditions: ['reprise-source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/global.ts',
    // Most of the time goes into waiting: for processes, heartbeats, timers.
    maxWorkers: 4,
    // Real servers and processes on two busy cores: a timeout is there for what hangs, not for what is slow.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    // `npm test -- --coverage` turns it on, at a tenth of the time. Files that no test loads count too.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['json-summary'] },
    // Users' tool modules are loaded by Node itself, as in a worker.
    server: { deps: { external: [/\?version=/] } },
  },
});
