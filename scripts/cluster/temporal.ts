import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { freePort } from '../../src/local/ports.ts';
import { answersWithin } from '../../src/local/server.ts';
import { killed } from '../../test/support/killed.ts';
import type { PostgresServer } from '../../test/support/postgres.ts';
import type { Binaries } from './binaries.ts';

export interface TemporalServer {
  /** The address for clients, the same after each start. */
  address: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** The databases of the server, with the part of its schema that each has. */
const databases = { temporal: 'temporal', temporal_visibility: 'visibility' };

/** How long a server may take to answer, in milliseconds. After a kill it waits until its old self counts as gone. */
const timeoutMs = 90_000;

/** Sets up the databases of Temporal's own server and starts it. @param folder for its configuration and its log */
export async function startTemporal({ server, sql }: Binaries, database: PostgresServer, folder: string) {
  setUpDatabases(sql, database);
  const services = await portsOf(['frontend', 'history', 'matching', 'worker']);
  const config = join(folder, 'temporal.yaml');
  const dynamic = join(folder, 'dynamic.yaml');
  writeFileSync(dynamic, 'frontend.workerVersioningWorkflowAPIs:\n  - value: true\n');
  writeFileSync(config, JSON.stringify(configOf(database, services, dynamic), null, 2));
  const address = `127.0.0.1:${services['frontend']?.grpc}`;
  let child: ChildProcess | undefined;
  const temporal: TemporalServer = {
    address,
    async start() {
      const log = openSync(join(folder, 'temporal.log'), 'a');
      const started = spawn(server, ['--config-file', config, '--allow-no-auth', 'start'], {
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      child = started;
      const hasEnded = (): boolean => started.exitCode !== null || started.signalCode !== null;
      if (!(await answersWithin(timeoutMs, address, hasEnded)))
        throw new Error(`Temporal's server does not answer; see ${join(folder, 'temporal.log')}`);
    },
    kill: () => killed(child),
  };
  await temporal.start();
  await makeNamespace(address);
  return temporal;
}

function setUpDatabases(sql: string, { password, port, user }: PostgresServer): void {
  for (const [name, schema] of Object.entries(databases)) {
    const run = (...words: string[]): unknown =>
      execFileSync(
        sql,
        [
          '--plugin',
          'postgres12',
          '--endpoint',
          '127.0.0.1',
          '--port',
          String(port),
          '--user',
          user,
          '--database',
          name,
          ...words,
        ],
        { env: { ...process.env, SQL_PASSWORD: password }, stdio: ['ignore', 'ignore', 'pipe'] },
      );
    run('create-database');
    run('setup-schema', '--version', '0.0');
    run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

interface Ports {
  grpc: number;
  membership: number;
}

async function portsOf(services: string[]): Promise<Record<string, Ports>> {
  const entries: Array<[string, Ports]> = [];
  for (const service of services) entries.push([service, { grpc: await lowPort(), membership: await lowPort() }]);
  return Object.fromEntries(entries);
}

/** A free port that fits into the column of PostgreSQL where the server keeps it, a signed number of two bytes. */
async function lowPort(): Promise<number> {
  for (;;) {
    const wanted = randomInt(15_000, 2 ** 15);
    if ((await freePort(wanted)) === wanted) return wanted;
  }
}

/** The server's configuration: Temporal's own for development with PostgreSQL, with other ports, and without an HTTP API. */
function configOf({ password, port, user }: PostgresServer, services: Record<string, Ports>, dynamic: string): object {
  const store = (databaseName: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns: 6,
      maxIdleConns: 6,
      maxConnLifetime: '1h',
    },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(
      Object.entries(services).map(([name, { grpc, membership }]) => [
        name,
        { rpc: { grpcPort: grpc, membershipPort: membership, bindOnLocalHost: true } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${services['frontend']?.grpc}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
  };
}

/** gRPC's NOT_FOUND. */
const notFound = 5;

/** Makes the namespace `default`, and waits until the server lets runs be listed in it. */
async function makeNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const namespace = 'default';
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
  for (;;) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      break;
    } catch (error) {
      if ((error as { code?: number }).code !== notFound) throw error;
    }
    await pause(200);
  }
  await connection.close();
}
