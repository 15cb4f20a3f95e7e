import type { Audit, AuditEntry } from '../../audit/index.js';
import { projectOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** What only the sub-reconciler knows of its decision. */
export type AuditDetail = Partial<
  Pick<AuditEntry, 'user' | 'automated' | 'revision' | 'pruned' | 'result' | 'message' | 'target'>
>;

/** The user of what the controller does by itself. */
const CONTROLLER = 'argosy-controller';
/** Objects whose last refusal is remembered. */
const MAX_REFUSED = 20_000;

/** Records what the controller changes and refuses. A refusal that every reconcile repeats is recorded once. */
export class AuditTrail {
  readonly #audit: Audit;
  readonly #controlNamespace: string;
  readonly #refused = new Map<string, string>();

  constructor(audit: Audit, controlNamespace: string) {
    this.#audit = audit;
    this.#controlNamespace = controlNamespace;
  }

  changed(about: KubeObject, verb: string, detail: AuditDetail = {}): void {
    this.#refused.delete(about.metadata.uid ?? '');
    this.#record(about, verb, 'allowed', detail);
  }

  refused(about: KubeObject, verb: string, reason: string, detail: AuditDetail = {}): void {
    const { uid = '' } = about.metadata;
    if (this.#refused.get(uid) === `${verb} ${reason}`) return;
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(uid, `${verb} ${reason}`);
    this.#record(about, verb, 'refused', { ...detail, message: reason });
  }

  #record(about: KubeObject, verb: string, decision: AuditEntry['decision'], detail: AuditDetail): void {
    void this.#audit.record({
      source: 'controller',
      user: CONTROLLER,
      verb,
      ...this.#named(about),
      decision,
      result: decision === 'allowed' ? 'ok' : 'refused',
      ...detail,
    });
  }

  /** As RBAC names them. */
  #named(about: KubeObject): Pick<AuditEntry, 'resource' | 'object' | 'project'> {
    const { namespace = '', name = '' } = about.metadata;
    const within = namespace === this.#controlNamespace ? name : `${namespace}/${name}`;
    if (about.kind === 'Application' || about.kind === 'ApplicationSet') {
      const isSet = about.kind === 'ApplicationSet';
      const project = isSet ? textAt(about, 'spec', 'template', 'spec', 'project') : projectOf(about);
      return { resource: isSet ? 'applicationsets' : 'applications', object: `${project}/${within}`, project };
    }
    return { resource: about.kind, object: `${namespace}/${name}` };
  }
}

/** What says that the project, its windows or the cluster refused something; other messages may quote manifests. */
const REFUSED: readonly RegExp[] = [
  /is not permitted in project/,
  /is forbidden: User "/,
  /cannot impersonate/,
  /no matching service account found for /,
  /service account to impersonate: /,
  /^Sync operation blocked by sync window$/,
  /^invalid sync windows: /,
];

/** The first message that is a refusal. */
export function findRefused(messages: readonly string[]): string | undefined {
  return messages.find((message) => REFUSED.some((pattern) => pattern.test(message)));
}

/** A live object in a record. */
export function auditName({ group, kind, namespace, name }: Key): string {
  return `${group === '' ? '' : `${group}/`}${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
