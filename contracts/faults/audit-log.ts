import { closeSync, existsSync, openSync, readSync, fstatSync, statSync } from 'node:fs';
import { isObject, own, parseJson, type Json, type JsonObject } from '../../src/model/json/index.js';

/** One request that the API server answered, as its audit log tells. */
export interface Audited {
  readonly id: string;
  readonly verb: string;
  readonly user: string;
  /** Whose rights it used, where it was impersonated. */
  readonly impersonated: string;
  readonly userAgent: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly isDryRun: boolean;
  /** Milliseconds since 1970 when the request arrived, and when it was answered. */
  readonly received: number;
  readonly answered: number;
  readonly request: JsonObject | undefined;
  readonly response: JsonObject | undefined;
}

/**
 * What is written down of each request: everything of hooks' kinds and of ConfigMaps, what was asked of other kinds
 * that a trial names, elsewhere who did what to which object.
 */
export function auditPolicy(asked: readonly { readonly group: string; readonly plural: string }[]): string {
  const rules = asked.map(
    ({ group, plural }) =>
      `- level: Request\n  verbs: [create, update, patch, delete]\n  resources:\n  - {group: ${group}, ` +
      `resources: [${plural}]}\n`,
  );
  return `${POLICY}${rules.join('')}- level: Metadata\n`;
}

const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: None
  nonResourceURLs: ["/healthz*", "/readyz*", "/livez*", "/openapi/*"]
- level: None
  users: ["system:apiserver"]
- level: RequestResponse
  verbs: [create, update, patch, delete]
  resources:
  - {group: batch, resources: [jobs]}
  - {group: "", resources: [pods, configmaps]}
`;

/** Reads an audit log as it grows. A line may come a moment after its answer: `Lab.settle` waits for that. */
export class AuditLog {
  #offset: number;
  #rest = '';
  readonly #all: Audited[] = [];

  /** What it has by now is of others. */
  constructor(readonly path: string) {
    this.#offset = existsSync(path) ? statSync(path).size : 0;
  }

  /** Everything so far. */
  read(): readonly Audited[] {
    if (!existsSync(this.path)) return this.#all;
    const file = openSync(this.path, 'r');
    try {
      const size = fstatSync(file).size;
      const bytes = Buffer.alloc(Math.max(0, size - this.#offset));
      this.#offset += readSync(file, bytes, 0, bytes.length, this.#offset);
      const lines = (this.#rest + bytes.toString('utf8')).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) {
        const audited = line === '' ? undefined : auditedOf(parseJson(line));
        if (audited !== undefined) this.#all.push(audited);
      }
    } finally {
      closeSync(file);
    }
    return this.#all;
  }

  /** What came since an earlier length of `read()`. */
  since(mark: number): readonly Audited[] {
    return this.read().slice(mark);
  }
}

function auditedOf(event: Json): Audited | undefined {
  if (!isObject(event) || event.stage !== 'ResponseComplete' || !isObject(event.objectRef)) return undefined;
  const ref = event.objectRef;
  const text = (from: JsonObject, name: string): string => {
    const value = own(from, name);
    return typeof value === 'string' ? value : '';
  };
  const response = isObject(event.responseObject) ? event.responseObject : undefined;
  const request = isObject(event.requestObject) ? event.requestObject : undefined;
  const uri = text(event, 'requestURI');
  return {
    id: text(event, 'auditID'),
    verb: text(event, 'verb'),
    userAgent: text(event, 'userAgent'),
    user: isObject(event.user) ? text(event.user, 'username') : '',
    impersonated: isObject(event.impersonatedUser) ? text(event.impersonatedUser, 'username') : '',
    group: text(ref, 'apiGroup'),
    resource: text(ref, 'resource'),
    subresource: text(ref, 'subresource'),
    namespace: text(ref, 'namespace'),
    name: text(ref, 'name') || (isObject(response?.metadata) ? text(response.metadata, 'name') : ''),
    code:
      isObject(event.responseStatus) && typeof event.responseStatus.code === 'number' ? event.responseStatus.code : 0,
    isDryRun: /[?&]dryRun=/.test(uri),
    received: Date.parse(text(event, 'requestReceivedTimestamp')),
    answered: Date.parse(text(event, 'stageTimestamp')),
    request,
    response,
  };
}

/** A change that the server accepted and kept. */
export function isAcceptedWrite({ verb, code, isDryRun }: Audited): boolean {
  return (
    !isDryRun && code >= 200 && code < 300 && ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb)
  );
}

/** An object came into being: by POST, or by an apply of something that was not there. */
export function isCreation(audited: Audited): boolean {
  return isAcceptedWrite(audited) && audited.code === 201 && audited.subresource === '';
}

export function auditedText({ verb, resource, subresource, namespace, name, code, isDryRun }: Audited): string {
  return (
    `${verb}${isDryRun ? ' (dry run)' : ''} ${resource}${subresource === '' ? '' : `/${subresource}`} ` +
    `${namespace}/${name} ${code}`
  );
}
