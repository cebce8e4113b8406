import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, secrets } from '../../src/app/config.ts';
import { STOP_LIMIT } from '../../src/engine/tools/stop-signals.ts';

const FOLDER = 'deploy/kubernetes';
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const { resources, images, configMapGenerator } = parse(read('kustomization.yaml'));
const files = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml');
const manifests = files.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => ({ file, manifest: document.toJS() })),
);
const only = (kind: string, name = 'linkspace') =>
  manifests.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name)?.manifest;

/** A copy that removes each path from the set when it is read. */
function watched(value: unknown, unread: Set<string>, path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  for (const [key, inside] of Object.entries(value)) {
    unread.add(`${path}/${key}`);
    Reflect.set(copy, key, watched(inside, unread, `${path}/${key}`));
  }
  return new Proxy(copy, {
    get(target, key) {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(target, key);
    },
  });
}

/** Checks a manifest against its schema; what the check does not read, the schema does not know. */
async function unknownFields(manifest: { apiVersion: string; kind: string }): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const isOperators = apiVersion.startsWith('monitoring.coreos.com/');
  const models = isOperators ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  const { [kind]: model } = await import(`${models}/${apiVersion}/${kind}`);
  const unread = new Set<string>();
  model.prototype.validate.call(watched(manifest, unread));
  return [...unread];
}

test.each(manifests.map(({ file, manifest }) => [file, manifest.kind, manifest] as const))(
  '%s: the %s has the form of its API',
  async (_file, _kind, manifest) => expect(await unknownFields(manifest)).toEqual([]),
);

test('finds wrong values and misspelt fields', async () => {
  const service = (port: object) => ({ apiVersion: 'v1', kind: 'Service', spec: { ports: [port] } });
  await expect(unknownFields(service({ port: 'http' }))).rejects.toThrow(
    '/spec/ports/0/port must be integer',
  );
  expect(await unknownFields(service({ port: 80, tragetPort: 80 }))).toEqual(['/spec/ports/0/tragetPort']);
});

test('the kustomization has all of them but the monitor, and the image of this version', () => {
  expect(files.toSorted()).toEqual([...resources, 'service-monitor.yaml'].sort());
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(images).toEqual([expect.objectContaining({ name: 'linkspace', newTag: version })]);
});

describe('the pods', () => {
  const { template, selector } = only('Deployment').spec;
  const { template: migration } = only('Job', 'linkspace-migration').spec;
  const pods = { server: template, migration };
  const [server] = template.spec.containers;

  test('only those of the deployment get requests, count as available, and are measured', () => {
    const { labels } = template.metadata;
    expect(migration.metadata.labels).not.toMatchObject(labels);
    const selectors = [
      selector.matchLabels,
      only('Service').spec.selector,
      only('Service', 'linkspace-metrics').spec.selector,
      only('PodDisruptionBudget').spec.selector.matchLabels,
      template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const one of selectors) expect(one).toEqual(labels);
    const monitored = only('ServiceMonitor').spec;
    const { metadata: metrics, spec } = only('Service', 'linkspace-metrics');
    expect(metrics.labels).toMatchObject(monitored.selector.matchLabels);
    expect(monitored.endpoints[0].port).toBe(spec.ports[0].name);
    // The name of the job in the rules.
    expect(metrics.labels[monitored.jobLabel]).toBe('linkspace');
    expect(only('Service').spec.ports[0].name).not.toBe(spec.ports[0].name);
  });

  test('they stay in the service while the database is away, and a start may take as long as its probe waits', () => {
    expect(server.readinessProbe.httpGet.path).toBe('/livez');
    const { periodSeconds, failureThreshold } = server.startupProbe;
    expect(only('Deployment').spec.progressDeadlineSeconds).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  test('ports are those of the image and of the configuration', () => {
    const env = Object.fromEntries(configMapGenerator[0].literals.map((line: string) => line.split('=')));
    const { port, metricsPort } = readConfig(env);
    expect(server.ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual([
      port,
      metricsPort,
    ]);
    expect(readFileSync('Dockerfile', 'utf8')).toContain(`PORT=${port}`);
    const named = server.ports.map(({ name }: { name: string }) => name);
    const services = [only('Service'), only('Service', 'linkspace-metrics')];
    expect(services.map(({ spec }) => spec.ports[0].targetPort)).toEqual(named);
  });

  test.each(Object.entries(pods))('%s: has no privileges, and reads its secrets from files', (_name, pod) => {
    const [container] = pod.spec.containers;
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const { mountPath } = container.volumeMounts[0];
    for (const { name, value } of container.env) {
      expect(secrets).toContain(name.replace(/_FILE$/, ''));
      expect(value).toBe(
        `${mountPath}/${name
          .replace(/_FILE$/, '')
          .toLowerCase()
          .replaceAll('_', '-')}`,
      );
    }
    expect(container.command?.[1] ?? '').toMatch(/^$|^dist\/cli\/migrate\.js$/);
  });

  test('a stop has the time that the service takes', () => {
    const env = Object.fromEntries(configMapGenerator[0].literals.map((line: string) => line.split('=')));
    const { drainSeconds } = readConfig(env);
    // The service drains itself.
    expect([drainSeconds, server.lifecycle]).toEqual([5, undefined]);
    expect(template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      drainSeconds * 1000 + STOP_LIMIT,
    );
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

test.skipIf(!hasKubectl)(
  'pods for visitors only have the names, labels and settings of their own',
  async () => {
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', `${FOLDER}-redirects`], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const made = parseAllDocuments(stdout).map((document) => document.toJS());
    for (const manifest of made) expect(await unknownFields(manifest)).toEqual([]);
    const [settings, metrics, service, deployment, budget] = made;
    expect(made.map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^linkspace-redirects-/),
      'linkspace-metrics-redirects',
      ...Array(3).fill('linkspace-redirects'),
    ]);
    const labels = { 'app.kubernetes.io/name': 'linkspace', 'app.kubernetes.io/component': 'redirects' };
    const { selector, template } = deployment.spec;
    for (const one of [selector, budget.spec.selector]) expect(one.matchLabels).toEqual(labels);
    for (const one of [metrics.spec.selector, service.spec.selector, template.metadata.labels])
      expect(one).toEqual(labels);
    const [{ env }] = template.spec.containers;
    expect(env.map(({ name }: { name: string }) => name)).toContain('DATABASE_READ_URLS_FILE');
    expect(settings.data).toMatchObject({ ROLE: 'redirects', BASE_URL: 'https://s.example' });
    expect(() => readConfig({ ...settings.data })).not.toThrow();
  },
);
