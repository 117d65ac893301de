import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts';
import { storeContract } from './contract.ts';

const isHere = hasPostgres('the contract of the store, and what happens when its server is away');

describe.skipIf(!isHere)('with a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  storeContract('PostgreSQL', async () => openPostgresStore(server.url));

  test('x', () => expect(1).toBe(1));
});
