import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../src/util/folders.ts';
import { deploymentName, taskQueue } from '../../src/client/names.ts';
import { compose, path, read } from './reading.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: Record<string, unknown>;
}

const folder = 'deploy/kubernetes';
const manifests = readdirSync(path(folder))
  .filter((name) => name !== 'kustomization.yaml')
  .map((name) => ({ name, manifest: parse(read(`${folder}/${name}`)) as Manifest }));

/** The wheel that has Kubernetes' schemas, and the folder of one version in it. */
const wheel = { name: 'kubernetes-validate', version: '1.37.0' };
const schemas = `kubernetes_validate/kubernetes-json-schema/v${wheel.version}-local-strict`;

/** Kubernetes' schemas in the user's cache; undefined where they cannot be had. */
function schemaFolder(): string | undefined {
  const kept = join(cacheFolder(), `${wheel.name}-${wheel.version}`);
  const found = (): string | undefined => {
    try {
      readFileSync(join(kept, schemas, '_definitions.json'));
      return join(kept, schemas);
    } catch {
      return undefined;
    }
  };
  if (found() !== undefined) return found();
  mkdirSync(cacheFolder(), { recursive: true });
  const scratch = mkdtempSync(`${kept}-`);
  const named = `${wheel.name}==${wheel.version}`;
  spawnSync('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', scratch, named]);
  const [file = ''] = readdirSync(scratch);
  // The wheel has the schemas of many versions, which take minutes to unpack.
  const unpack = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith(sys.argv[3] + '/')])`;
  const { status } = spawnSync('python3', ['-c', unpack, join(scratch, file), join(scratch, 'all'), schemas]);
  // Somebody else may have been quicker.
  if (status === 0 && found() === undefined) renameSync(join(scratch, 'all'), kept);
  rmSync(scratch, { recursive: true, force: true });
  return found();
}

/** A kind's file of the schemas, as in `deployment-apps-v1`. */
const fileOf = ({ apiVersion, kind }: Manifest): string => {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return [kind.toLowerCase(), ...(group === '' ? [] : [group.split('.')[0]]), version].join('-');
};

test('the manifests fit Kubernetes’ schemas, strictly', (context) => {
  const from = schemaFolder();
  if (from === undefined) {
    console.warn(
      `Kubernetes' schemas are not looked at: ${wheel.name} ${wheel.version} cannot be had from PyPI by pip`,
    );
    return context.skip();
  }
  const load = (name: string): object => JSON.parse(readFileSync(join(from, `${name}.json`), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...load('_definitions'), $id: '/api/_definitions.json' });
  const own = manifests.filter(({ manifest }) => !manifest.apiVersion.startsWith('keda.sh/'));
  expect(own.map(({ manifest }) => manifest.kind).toSorted()).toEqual(
    'Deployment Deployment NetworkPolicy NetworkPolicy PodDisruptionBudget Service ServiceAccount'.split(' '),
  );
  for (const { manifest, name } of own) {
    const { $schema: _, $id: __, ...schema } = load(fileOf(manifest)) as Record<string, unknown>;
    const fits = ajv.compile({ ...schema, $id: `/api/${name}` });
    fits(manifest);
    expect({ name, errors: fits.errors }).toEqual({ name, errors: null });
  }
});

test('the autoscaler’s object fits KEDA’s definition', (context) => {
  const fetched = spawnSync('go', ['mod', 'download', '-json', 'github.com/kedacore/keda/v2@v2.21.0'], {
    encoding: 'utf8',
    cwd: '/',
  });
  const { Dir: dir } = (fetched.status === 0 ? JSON.parse(fetched.stdout) : {}) as { Dir?: string };
  if (dir === undefined) {
    console.warn('KEDA’s definition is not looked at: it comes from a Go module, and there is no Go');
    return context.skip();
  }
  const definition = parse(readFileSync(join(dir, 'config/crd/bases/keda.sh_scaledobjects.yaml'), 'utf8')) as {
    spec: { versions: Array<{ schema: { openAPIV3Schema: object } }> };
  };
  const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(
    definition.spec.versions[0]?.schema.openAPIV3Schema ?? {},
  );
  fits(manifestOf('ScaledObject'));
  expect(fits.errors).toBeNull();
});

const manifestOf = (kind: string, name = 'reprise-worker'): Manifest =>
  manifests.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name)?.manifest as Manifest;

interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: Array<{ args?: string[]; env: Array<{ name: string; value: string }>; securityContext: object }>;
}

const pod = (name?: string): Pod => (manifestOf('Deployment', name).spec as { template: { spec: Pod } }).template.spec;
const variable = (name: string): string | undefined =>
  pod().containers[0]?.env.find((each) => each.name === name)?.value;

test('a pod is killed only after the worker’s own time for its calls is over', () => {
  expect(pod().terminationGracePeriodSeconds).toBeGreaterThan(Number(variable('REPRISE_SHUTDOWN_SECONDS')));
});

test.each(['reprise-worker', 'reprise-http'])(
  '%s meets the Pod Security Standard "restricted", as the image’s own user',
  (name) => {
    const user = Number(/^USER (\d+)/m.exec(read('Dockerfile'))?.[1]);
    expect(pod(name).securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: user,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod(name).containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  },
);

test('the HTTP server is begun as docker-compose.yml begins it, and is asked as the host that it takes itself for', () => {
  const [container] = pod('reprise-http').containers;
  expect(container?.args).toEqual(compose().services['http']?.command);
  const probe = {
    httpGet: { path: '/health', port: 'http', httpHeaders: [{ name: 'Host', value: '127.0.0.1:8234' }] },
  };
  expect(container).toMatchObject({ startupProbe: probe, livenessProbe: probe, readinessProbe: probe });
});

test('probes ask the port that the worker listens on, where Kubernetes reaches it', () => {
  expect(variable('REPRISE_HEALTH_HOST')).toBe('0.0.0.0');
  expect(read('Dockerfile')).toContain(`REPRISE_HEALTH_PORT=${variable('REPRISE_HEALTH_PORT')}`);
});

test('the autoscaler looks at the queue that workers poll, and at Temporal where the workers do', () => {
  const { triggers } = manifestOf('ScaledObject').spec as {
    triggers: Array<{ type: string; metadata: Record<string, string> }>;
  };
  const [{ metadata, type } = { metadata: {}, type: '' }] = triggers;
  expect(type).toBe('temporal');
  expect(metadata['taskQueue']).toBe(taskQueue);
  expect(read(`${folder}/kustomization.yaml`)).toContain(`TEMPORAL_ADDRESS=${metadata['endpoint']}\n`);
  expect(read('docs/deployment.md')).toContain(`workerDeploymentName: ${deploymentName}`);
});

test('all objects of the folder are applied', () => {
  const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] };
  expect(resources.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted());
});
