import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/global.ts',
    // Most of the time goes into waiting: for processes, heartbeats, timers.
    maxWorkers: 3,
    // Real servers and processes on two busy cores: a timeout is there for what hangs, not for what is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Users' tool modules are loaded by Node itself, as in a worker.
    server: { deps: { external: [/\?version=/] } },
  },
});
