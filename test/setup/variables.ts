import { afterAll } from 'vitest';

// Files of rules and of courses follow one another in one process: what one has set is no other's.
const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
