import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// Tests start some hundred processes, which would otherwise compile the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** What leaves no processor time or process numbers for anything else. It runs last, with nothing beside it. */
const overwhelming = ['test/tools/command-bombs.test.ts'];

/** Tests that run together, after those of the groups before. */
const group = (name: string, groupOrder: number, files: { include: string[]; exclude?: string[] }) =>
  ({
    // Examples import Reprise by its name, as in a project of one's own; here that is its sources.
    ssr: { resolve: { conditions: ['reprise-source', 'module', 'node', 'development|production'] } },
    test: {
      name,
      ...files,
      // Most of the time goes into waiting: for processes, heartbeats, timers.
      maxWorkers: 4,
      sequence: { groupOrder },
      // Real servers and processes on two busy cores: a timeout is there for what hangs, not for what is slow.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 180_000 } },
      // Users' tool modules are loaded by Node itself, as in a worker.
      server: { deps: { external: [/\?version=/] } },
    },
  }) satisfies TestProjectInlineConfiguration;

export default defineConfig({
  test: {
    globalSetup: 'test/setup/global.ts',
    projects: [
      group('tests', 0, { include: ['test/**/*.test.ts'], exclude: overwhelming }),
      group('alone', 1, { include: overwhelming }),
    ],
    // `npm test -- --coverage` turns it on, at a tenth of the time. Files that no test loads count too.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['json-summary'] },
  },
});
