import { setTimeout as delay } from 'node:timers/promises';
import { isObject, own, parseJson, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { Connection } from '../apiserver/connection.js';

const WITHIN = 60_000;

/**
 * Requests of a test, and what only nodes do on a cluster: they renew their lease and let go of pods that are deleted.
 */
export class Cluster {
  constructor(private readonly connection: Connection) {}

  async request(
    method: string,
    path: string,
    body?: JsonObject,
  ): Promise<{ readonly code: number; readonly body: JsonObject }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.connection.send({
      method,
      path,
      headers: { 'content-type': type },
      body: body && writeJson(body),
    });
    const parsed = parseJson(answer.text);
    return { code: answer.code, body: isObject(parsed) ? parsed : {} };
  }

  /** A request that must succeed. */
  async requestJson(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const answer = await this.request(method, path, body);
    if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.code} ${writeJson(answer.body)}`);
    return answer.body;
  }

  async list(path: string): Promise<JsonObject[]> {
    const { items } = await this.requestJson('GET', path);
    return Array.isArray(items) ? items.filter(isObject) : [];
  }

  /** Looks until it finds something; deleted pods are let go meanwhile. */
  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + WITHIN;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`not within ${WITHIN / 1000} s: ${what}`);
      await this.#letGo();
      await delay(100);
    }
  }

  async addNode(name: string): Promise<void> {
    const amounts = { cpu: '4', memory: '8Gi', pods: '110' };
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is ready',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    await this.requestJson('POST', '/api/v1/nodes', {
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: { capacity: amounts, allocatable: amounts, conditions: [ready] },
    });
    await this.requestJson('POST', LEASES, {
      metadata: { name },
      spec: {
        holderIdentity: name,
        leaseDurationSeconds: 40,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    });
  }

  async renewLeases(): Promise<void> {
    for (const lease of await this.list(LEASES)) {
      await this.request('PATCH', `${LEASES}/${metadataName(lease)}`, {
        spec: { renewTime: new Date().toISOString().replace('Z', '000Z') },
      });
    }
  }

  async #letGo(): Promise<void> {
    for (const pod of await this.list('/api/v1/pods')) {
      const metadata = isObject(pod.metadata) ? pod.metadata : {};
      if (metadata.deletionTimestamp === undefined) continue;
      const path = `/api/v1/namespaces/${String(metadata.namespace)}/pods/${metadataName(pod)}?gracePeriodSeconds=0`;
      await this.request('DELETE', path, { preconditions: { uid: String(metadata.uid) } });
    }
  }
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

export function metadataName(object: JsonObject): string {
  return isObject(object.metadata) ? String(object.metadata.name) : '';
}

/** The value at a path of field names, such as `spec.nodeName`. */
export function at(object: JsonObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, name) => (isObject(value) ? own(value, name) : undefined), object);
}
