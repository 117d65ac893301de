/** All workflows of the test run: the real ones, and those that only tests start. */
export * from '../../src/workflows/index.ts';
export { chained } from './chained.ts';
