import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, ResourceRef } from '../../src/cluster/index.js';
import { isObject, own, type JsonObject, type KubeObject } from '../../src/model/index.js';
import { openSources } from '../../src/source/index.js';
import { startGitServer } from '../doubles/index.js';
import { writeRepository } from '../fleet/write-repository.js';
import { gitProbe, type Probe } from './git-probe.js';

export interface OutsideOptions {
  /** A folder of its own below the data directory. */
  readonly folder: string;
  readonly report: (line: string) => void;
}

/** What lies outside of the cluster: the functions that stages may ask, and a git server with the repositories of the stories. */
export interface Outside {
  readonly probes: Readonly<Record<string, Probe>>;
  /** Says in the cluster where the outside is: the Secret `outside` in the namespace `argosy-world`. */
  tell(cluster: Cluster): Promise<void>;
  close(): Promise<void>;
}

const USER = 'gitea-admin';
const REPOSITORY = 'self-healing-platform.git';

export async function openOutside({ folder, report }: OutsideOptions): Promise<Outside> {
  const clock = {
    now: () => new Date(), steady: () => performance.now(),
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => { clearTimeout(timer); };
    },
  };
  const repositories = join(folder, 'repositories');
  if (!existsSync(join(repositories, REPOSITORY))) writeRepository(join(repositories, REPOSITORY), [{ message: 'Notebooks and their image', files: FILES }]);
  const sources = await openSources({ data: folder, clock, random: Math.random, environment: { PATH: process.env['PATH'] }, report });
  const git = await startGitServer({ folder: repositories, users: [{ name: USER, password: randomBytes(12).toString('hex') }], report: () => undefined });
  return {
    probes: { git: gitProbe(sources) },
    async tell(cluster) {
      const password = await knownPassword(cluster) ?? randomBytes(12).toString('hex');
      git.setPassword(USER, password);
      await cluster.apply(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OUTSIDE.namespace } });
      await cluster.apply(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: OUTSIDE, stringData: { gitRepository: `${git.url}/${REPOSITORY}`, gitUser: USER, gitPassword: password } }, { force: true });
    },
    async close() {
      await git.close();
      await sources.close();
    },
  };
}

const OUTSIDE = { namespace: 'argosy-world', name: 'outside' };
const NAMESPACES: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
const SECRETS: ResourceRef = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };

/** Everything of the Secret, in plain text; nothing where nobody told. */
export async function readOutside(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const data = dataOf(await cluster.get(SECRETS, OUTSIDE));
  return new Map(Object.keys(data).map((key) => [key, Buffer.from(String(own(data, key)), 'base64').toString('utf8')]));
}

function dataOf(secret: KubeObject | undefined): JsonObject {
  return isObject(secret?.data) ? secret.data : {};
}

/** Objects of earlier runs hold it, so it stays. */
async function knownPassword(cluster: Cluster): Promise<string | undefined> {
  return (await readOutside(cluster)).get('gitPassword');
}

const FILES = new Map([
  ['notebook-validator/Dockerfile', 'FROM registry.access.redhat.com/ubi9/python-311\nRUN pip install --no-cache-dir nbclient ipykernel scikit-learn\n'],
  ['notebooks/01-train.ipynb', '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'],
  ['README.md', 'Notebooks of the self-healing platform, and the image that validates them.\n'],
]);
