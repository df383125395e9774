import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { ConfigMap, PodSpec, Probe, Secret, Service } from 'kubernetes-types/core/v1.js';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../src/config.js';
import { serveHealth } from '../../src/http/health/health.js';
import { VERSION } from '../../src/lib/telemetry/version.js';
import { readDockerfile } from '../support/image.js';
import { BOUNCE_PORT, READ_NAMES, STOP_TIMEOUT_S } from '../support/variables.js';

const FOLDER = 'deploy/kubernetes';
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

type Manifest = { apiVersion: string; kind: string };

const manifests = readdirSync(FOLDER).flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest),
);
const [gateway, service] = parseAllDocuments(read('gateway.yaml')).map((document) => document.toJS()) as [
  Deployment,
  Service,
];
const worker = parse(read('worker.yaml')) as Deployment;
const migrate = parse(read('migrate.yaml')) as Job;
const { data: settings = {} } = parse(read('config.yaml')) as ConfigMap;
const secret = parse(read('secret.yaml.example')) as Secret;

const pods = [gateway, worker, migrate].map(({ spec }) => spec!.template!.spec!);
const containerOf = ({ containers: [container] }: PodSpec) => container!;

/** Faults that TypeScript finds in a source, among them properties that a type does not have. */
function typeFaults(source: string): string[] {
  const file = resolve('manifests.ts');
  const options: ts.CompilerOptions = { strict: true, skipLibCheck: true, types: [], lib: ['lib.es5.d.ts'] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

const sourceOf = (all: readonly Manifest[]) =>
  all
    .map(({ apiVersion, kind, ...rest }) => {
      const group = apiVersion === 'v1' ? 'core/v1' : apiVersion;
      const value = JSON.stringify({ apiVersion, kind, ...rest });
      return `({} as Takes<import('kubernetes-types/${group}').${kind}>)(${value});`;
    })
    .join('\n')
    .replace(/^/, 'type Takes<T> = (value: T) => void;\n');

test('every manifest is of the type that Kubernetes gives it', () => {
  expect(manifests.map(({ kind }) => kind).sort()).toEqual([
    ...[
      'ConfigMap',
      'Deployment',
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'Service',
    ],
  ]);
  const wrong = { ...gateway, spec: { ...gateway.spec, replica: 2 } } as unknown as Manifest;
  expect(typeFaults(sourceOf([...manifests, wrong]))).toEqual([
    expect.stringContaining(`'"replica"' does not exist in type 'DeploymentSpec'`),
  ]);
});

test('every pod fits the restricted profile, writes nowhere, and has a memory limit', () => {
  for (const pod of pods) {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containerOf(pod)).toMatchObject({
      image: `formgate:${VERSION}`,
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { limits: { memory: expect.stringMatching(/^\d+Mi$/) } },
    });
  }
});

test('probes ask for paths that Formgate has, on the ports of its image', async () => {
  const app = express();
  serveHealth(app, { isDraining: () => false }, {});
  const paths = app.router.stack.map(({ route }) => route?.path);
  const environment = (await readDockerfile()).filter(([name]) => name === 'ENV').map(([, rest]) => rest);
  for (const [{ spec }, variable] of [
    [gateway, 'PORT'],
    [worker, 'WORKER_PORT'],
  ] as const) {
    const container = containerOf(spec!.template!.spec!);
    const [port] = container.ports!;
    expect(environment.join(' ').split(' ')).toContain(`${variable}=${port!.containerPort}`);
    for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { httpGet } = container[name] as Probe;
      expect(paths).toContain(httpGet!.path);
      expect(httpGet!.port).toBe(port!.name);
    }
    expect(container.livenessProbe!.httpGet!.path).toBe('/healthz');
  }
});

test('the probes pass while the queue is away', async () => {
  const app = express();
  serveHealth(app, { isDraining: () => false }, { database: async () => 'ok', queue: async () => 'away' });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { startupProbe, readinessProbe, livenessProbe } = containerOf(gateway.spec!.template!.spec!);
  const statuses = await Promise.all(
    [startupProbe, readinessProbe, livenessProbe].map(
      async (probe) => (await fetch(`http://127.0.0.1:${port}${probe!.httpGet!.path}`)).status,
    ),
  );
  server.close();
  expect(statuses).toEqual([200, 200, 200]);
});

test('the service finds the gateways', () => {
  expect(gateway.spec!.template!.metadata!.labels).toEqual(service.spec!.selector);
  const names = containerOf(gateway.spec!.template!.spec!).ports!.map(({ name }) => name);
  expect(names).toContain(service.spec!.ports![0]!.targetPort);
});

test('the service of bounces finds the workers, on the port where they take reports', () => {
  const bounces = parse(read('bounces.yaml')) as Service;
  expect(worker.spec!.template!.metadata!.labels).toEqual(bounces.spec!.selector);
  const port = containerOf(worker.spec!.template!.spec!).ports!.find(({ name }) => name === 'bounces');
  expect(bounces.spec!.ports).toEqual([{ name: 'smtp', port: 25, targetPort: port!.name }]);
  expect(port!.containerPort).toBe(BOUNCE_PORT);
  expect(bounces.spec!.externalTrafficPolicy).toBe('Local');
});

test('pods have time for what a stop takes at most', () => {
  for (const { spec } of [gateway, worker]) {
    const pod = spec!.template!.spec!;
    const drainS = Number(containerOf(pod).env?.find(({ name }) => name === 'DRAIN_DELAY_S')?.value ?? 0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainS + STOP_TIMEOUT_S);
  }
});

test('gateways drain for as long as docs/operations.md asks of Kubernetes', () => {
  const [, asked] = /^\| Kubernetes .*`DRAIN_DELAY_S=(\d+)`/m.exec(
    readFileSync('docs/operations.md', 'utf8'),
  )!;
  expect(containerOf(gateway.spec!.template!.spec!).env).toContainEqual({
    name: 'DRAIN_DELAY_S',
    value: asked,
  });
});

test('pods are given only variables that Formgate reads', () => {
  const given = pods.flatMap((pod) => containerOf(pod).env ?? []).map(({ name }) => name);
  expect([...Object.keys(settings), ...given].filter((name) => !READ_NAMES.includes(name))).toEqual([]);
});

test('the settings are complete, with the secrets where the pods mount them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  const values: Record<string, string> = {
    'database-url': 'postgres://db/formgate',
    'redis-url': 'redis://redis',
    'smtp-url': 'smtp://mail',
    'app-key': Buffer.alloc(32, 1).toString('base64'),
    'metrics-token': 'sixteen characters',
  };
  for (const name of Object.keys(secret.stringData!)) await writeFile(join(folder, name), values[name]!);
  const files = Object.entries(settings).filter(([name]) => name.endsWith('_FILE'));
  const { mountPath } = containerOf(pods[0]!).volumeMounts![0]!;
  expect(files.map(([, path]) => path)).toEqual(
    Object.keys(secret.stringData!).map((name) => `${mountPath}/${name}`),
  );
  const moved = files.map(([name, path]) => [name, join(folder, basename(path))]);
  expect(readSettings({ ...settings, ...Object.fromEntries(moved) })).toMatchObject({
    embedded: false,
    redisUrl: 'redis://redis',
    metricsToken: 'sixteen characters',
  });
});
