import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, ClusterError, connect, loadKubeconfig, systemClock } from '../../src/cluster/index.js';
import { isObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { APPLICATIONS, APP_PROJECTS, CRDS, NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { CONTROL_NAMESPACE } from './application.js';
import { auditPolicy } from './audit-log.js';

export interface LabPlaneOptions {
  readonly etcdFsync?: boolean;
  readonly controllerManager?: boolean;
  /** Off where time is measured: it costs the server something. */
  readonly audit?: boolean;
}

/** A real control plane that knows our kinds and has the default project. */
export interface LabPlane {
  readonly plane: ControlPlane;
  /** To be called when nobody writes to it any more. */
  release(): Promise<void>;
}

const CRD_FOLDER = resolve(import.meta.dirname, '../../crds');

interface SharedPlane {
  readonly plane: ControlPlane;
  readonly restore: () => Promise<void>;
}

let shared: { opened: Promise<SharedPlane> | undefined } | undefined;

/** Until the given function is called, labs that are opened one after the other find the same plane, as new. */
export function shareLabPlane(): () => Promise<void> {
  const sharing: typeof shared = { opened: undefined };
  shared = sharing;
  return async () => {
    shared = undefined;
    await (await sharing.opened)?.plane.stop();
  };
}

export async function openLabPlane(options: LabPlaneOptions): Promise<LabPlane> {
  if (shared === undefined) {
    const plane = await preparePlane(options);
    return { plane, release: () => plane.stop() };
  }
  shared.opened ??= preparePlane({}).then(async (plane) => ({ plane, restore: await plane.remember() }));
  const { plane, restore } = await shared.opened;
  return { plane, release: restore };
}

async function preparePlane({
  etcdFsync = false,
  controllerManager = true,
  audit = true,
}: LabPlaneOptions): Promise<ControlPlane> {
  const plane = await startRealControlPlane({
    etcdFsync,
    controllerManager,
    audit: audit && auditPolicy([APPLICATIONS]),
  });
  const cluster = await connectAsAdmin(plane);
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROL_NAMESPACE } });
  for (const file of readdirSync(CRD_FOLDER).filter((name) => name.endsWith('.yaml')))
    await define(cluster, join(CRD_FOLDER, file));
  while (!((await isServed(cluster, APPLICATIONS)) && (await isServed(cluster, APP_PROJECTS)))) await delay(10);
  await cluster.create(APP_PROJECTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: CONTROL_NAMESPACE },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
  await cluster.close();
  return plane;
}

export async function connectAsAdmin(plane: Pick<ControlPlane, 'kubeconfigPath'>): Promise<Cluster> {
  return connect(
    await loadKubeconfig({ path: plane.kubeconfigPath, environment: {}, defaultPath: '' }),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: 'harness', environment: {} },
  );
}

/** The definitions of a file. */
export async function define(cluster: Cluster, file: string): Promise<void> {
  for (const { value } of readYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes' })) {
    if (isObject(value)) await cluster.create(CRDS, value as KubeObject);
  }
}

export async function isServed(cluster: Cluster, kind: ResourceRef): Promise<boolean> {
  try {
    await cluster.page(kind, { pageSize: 1, limits: { tries: 1 } });
    return true;
  } catch (error) {
    if (error instanceof ClusterError) return false;
    throw error;
  }
}
