import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Cluster, WrittenChange } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { eventAbout } from '../../model/kubernetes/index.js';
import { isObject, parseJson, textAt, type Json } from '../../model/json/index.js';
import type { Logger } from '../../model/logging/index.js';
import { EVENTS } from '../../model/resources/index.js';

export interface ChangeEventsOptions {
  /** The cluster that is changed; it is not there yet when these are made. */
  readonly cluster: () => Cluster;
  readonly version: string;
  readonly now: () => number;
  readonly log: Logger;
}

const REASONS = {
  create: 'ResourceCreated',
  update: 'ResourceUpdated',
  patch: 'ResourceUpdated',
  delete: 'ResourceDeleted',
} as const;
const WORDS = { create: 'created', update: 'updated', patch: 'updated', delete: 'deleted' } as const;

/**
 * Kubernetes Events about what a command changed, with who did it and from where: a command writes to the cluster
 * itself, so the audit log of the API does not see it. Values are never part of them. A cluster that takes no Events is
 * only reported.
 */
export class ChangeEvents {
  readonly #options: ChangeEventsOptions;
  #user: Promise<string> | undefined;

  constructor(options: ChangeEventsOptions) {
    this.#options = options;
  }

  async record({ verb, object, body }: WrittenChange): Promise<void> {
    if (object.kind === EVENTS.kind) return;
    const { cluster, version, now, log } = this.#options;
    const { name = '' } = object.metadata;
    try {
      this.#user ??= readUser(cluster());
      const fields = verb === 'patch' ? changedFields(body) : '';
      const host = hostname();
      const event = eventAbout({
        about: object,
        id: randomBytes(8).toString('hex'),
        reason: REASONS[verb],
        message: `${await this.#user} ${WORDS[verb]} ${object.kind} ${name}${fields} with argosy ${version} on ${host}`,
        type: 'Normal',
        component: 'argosy-cli',
        host,
        time: formatTime(instantOf(now())),
      });
      await cluster().create(EVENTS, event, { limits: { tries: 1 } });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.warn(`${object.kind} ${name} was ${WORDS[verb]}, but no Event says so`, { error });
    }
  }
}

/** Top-level fields of a patch, and those of metadata and spec: never a value. */
function changedFields(body: Json | undefined): string {
  if (!isObject(body)) return '';
  const names = Object.entries(body).flatMap(([name, value]) =>
    (name === 'metadata' || name === 'spec') && isObject(value)
      ? Object.keys(value)
          .filter((each) => each !== 'resourceVersion' && each !== 'uid')
          .map((each) => `${name}.${each}`)
      : [name],
  );
  return names.length === 0 ? '' : ` (${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''})`;
}

/** Who the server takes us for. */
async function readUser(cluster: Cluster): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = parseJson(
    await cluster.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', JSON.stringify(review)),
  );
  return (isObject(answer) && textAt(answer, 'status', 'userInfo', 'username')) || 'somebody';
}
