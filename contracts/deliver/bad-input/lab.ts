import { isObject, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { installCrds, readCrds } from '../../../src/control/index.js';
import { Connection } from '../../apiserver/connection.js';
import { startEmbeddedProcess } from '../../embedded/embedded-server.js';
import { Api } from '../api.js';
import { Applications } from '../applications.js';
import { project, writeSettings } from '../controller.js';
import { GitRepository } from '../../harness/git-repository.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../../harness/in-process-controller.js';
import { fill, mixed, type Row } from './rows.js';

const CONTROL = 'argocd';
const IN_CLUSTER = 'https://kubernetes.default.svc';
const RELAXED = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const CHECKED = ['Application', 'AppProject'];

const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "1"}\n`;

/** A row with its own names. */
export interface PlacedRow {
  readonly id: string;
  readonly row: Row;
}

/** One server, one controller in this process, and one repository with a folder for each row. */
export class BadInputLab {
  private constructor(
    readonly api: Api,
    readonly controller: InProcessController,
    private readonly repository: GitRepository,
    private readonly close: () => Promise<void>,
  ) {}

  static async open(placed: readonly PlacedRow[], more: Readonly<Record<string, string>> = {}): Promise<BadInputLab> {
    const server = await startEmbeddedProcess();
    const connection = new Connection(server.kubeconfigPath);
    const api = new Api(connection);
    const repository = await writeRepository(placed, more);
    await prepare(api, server.kubeconfigPath, placed, repository.url);
    const controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: CONTROL });
    return new BadInputLab(api, controller, repository, async () => {
      await controller.stop();
      await connection.close();
      await server.stop();
      await repository.close();
    });
  }

  get url(): string {
    return this.repository.url;
  }

  get applications(): Applications {
    return new Applications(this.api, CONTROL);
  }

  /** What is wrong is said, and an application beside it is delivered. */
  async play(placed: PlacedRow): Promise<void> {
    const settings = Object.entries(fill(placed.row.settings ?? {}, namesOf(placed.id, this.repository.url)));
    for (const [name, data] of settings) await writeSettings(this.api, CONTROL, name, data);
    try {
      await this.#playRow(placed);
      await this.deliverBeside(placed.id, settings.length === 0);
    } finally {
      // A merge patch with null takes a key away.
      for (const [name, data] of settings)
        await writeSettings(
          this.api,
          CONTROL,
          name,
          Object.fromEntries(Object.keys(data).map((key) => [key, null as never])),
        );
    }
  }

  async #playRow({ id, row }: PlacedRow): Promise<void> {
    const names = namesOf(id, this.repository.url);
    if (row.unchecked !== true) {
      if (row.project !== undefined) await this.api.create(projectOf(id, row.project), CONTROL);
      for (const [name, { spec, annotations }] of Object.entries(fill(row.others ?? {}, names)))
        await this.api.create(applicationOf(name, spec, names, annotations), CONTROL);
      await this.api.create(application({ id, row }, names), CONTROL);
    }
    if (row.then !== undefined) {
      await this.applications.until(id, { sync: 'Synced', phase: 'Succeeded' }, id);
      await this.api.patch(this.applications.name(id), { spec: fill(row.then, names) });
    }
    await this.applications.until(id, fill(row.expect, names), id);
    for (const [name, expected] of Object.entries(row.expectOthers ?? {}))
      await this.applications.until(fill(name, names), fill(expected, names), id);
  }

  /** An application of its own, beside one that is wrong. */
  async deliverBeside(id: string, isQuiet = true): Promise<void> {
    const name = `${id}-beside`;
    await this.api.create(
      applicationOf(name, { source: { path: 'beside' } }, namesOf(id, this.repository.url)),
      CONTROL,
    );
    await this.applications.until(
      name,
      {
        sync: 'Synced',
        phase: 'Succeeded',
        ...(isQuiet ? { conditions: {} } : {}),
        objects: { 'ConfigMap/beside': {} },
      },
      id,
    );
  }

  async stop(): Promise<void> {
    await this.close();
  }
}

function namesOf(id: string, url: string): Record<string, string> {
  return { APP: id, NS: id, REPO: url, CONTROL };
}

async function writeRepository(
  placed: readonly PlacedRow[],
  more: Readonly<Record<string, string>>,
): Promise<GitRepository> {
  const repository = await GitRepository.open('/nonexistent', [], (text) => text);
  await repository.write('beside/map.yaml', map('beside'));
  for (const [path, text] of Object.entries(more)) await repository.write(path, text);
  const write = async (id: string, files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries(fill(files, namesOf(id, repository.url))))
      await repository.write(`${id}/${path}`, text);
  };
  for (const { id, row } of placed) await write(id, row.files ?? { 'map.yaml': map('own') });
  await repository.commit();
  for (const { id, row } of placed) {
    for (const [branch, files] of Object.entries(row.branches ?? {})) {
      await repository.git('switch', '-q', '-c', branch);
      await write(id, files);
      await repository.commit();
      await repository.git('switch', '-q', 'master');
    }
  }
  return repository;
}

/** Namespaces for all, and what a schema would refuse while there is none. */
async function prepare(api: Api, kubeconfigPath: string, placed: readonly PlacedRow[], url: string): Promise<void> {
  const cluster = await connectCluster(kubeconfigPath);
  const crds = await readCrds(CRDS);
  await installCrds(cluster, crds);
  await cluster.close();
  for (const name of [CONTROL, ...placed.map(({ id }) => id)])
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, '');
  const unchecked = placed.filter(({ row }) => row.unchecked === true);
  if (unchecked.length === 0) return;
  const checked = crds.filter(
    ({ spec }) => isObject(spec) && isObject(spec.names) && CHECKED.includes(String(spec.names.kind)),
  );
  for (const crd of checked) await setSchema(api, crd, RELAXED);
  for (const { id, row } of unchecked) {
    const names = namesOf(id, url);
    if (row.project !== undefined) await api.create(projectOf(id, row.project), CONTROL);
    await api.create(application({ id, row }, names), CONTROL);
  }
  for (const crd of checked) await setSchema(api, crd, undefined);
}

async function setSchema(api: Api, crd: KubeObject, schema: JsonObject | undefined): Promise<void> {
  const versions = isObject(crd.spec) && Array.isArray(crd.spec.versions) ? (crd.spec.versions as JsonObject[]) : [];
  const changed: Json = versions.map((version) =>
    schema === undefined ? version : { ...version, schema: { openAPIV3Schema: schema } },
  );
  await api.patch(
    { kind: 'CustomResourceDefinition', name: crd.metadata.name ?? '' },
    [{ op: 'replace', path: '/spec/versions', value: changed }],
    'json',
  );
}

function projectOf(id: string, spec: JsonObject): JsonObject {
  return fill(project(id, spec), { APP: id, NS: id });
}

function application({ id, row }: PlacedRow, names: Readonly<Record<string, string>>): JsonObject {
  const { spec, annotations, status, operation, project: own } = row;
  const canName = own !== undefined && (isObject(spec) || spec === undefined);
  const part = canName ? { project: id, ...spec } : spec;
  const made = applicationOf(
    id,
    fill(part, names),
    names,
    annotations === undefined ? undefined : fill(annotations, names),
  );
  return {
    ...made,
    ...(status === undefined ? {} : { status: fill(status, names) }),
    ...(operation === undefined ? {} : { operation: fill(operation, names) }),
  };
}

function applicationOf(
  name: string,
  part: Json | undefined,
  names: Readonly<Record<string, string>>,
  annotations?: Record<string, string>,
): JsonObject {
  const sound: JsonObject = {
    project: 'default',
    source: { repoURL: names['REPO'] ?? '', path: names['APP'] ?? '', targetRevision: 'master' },
    destination: { server: IN_CLUSTER, namespace: names['NS'] ?? '' },
    syncPolicy: { automated: {}, retry: { limit: 0 } },
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
    spec: mixed(sound, part),
  };
}
