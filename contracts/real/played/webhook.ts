import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ApiError } from '../../../src/apiserver/errors/index.js';
import { patchOf } from '../../../src/apiserver/stages/apply-stage.js';
import { chooseSelfStage } from '../../../src/apiserver/stages/choose-stage.js';
import type { Stage } from '../../../src/apiserver/stages/index.js';
import { issueCertificate } from '../../../src/model/certificates/index.js';
import {
  isObject,
  own,
  parseJson,
  valueAt,
  writeJson,
  type Json,
  type JsonObject,
} from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { applyMergePatch } from '../../../src/model/patch/index.js';
import type { Mirror } from './mirror.js';
import { remoteClient } from './remote-client.js';

const WEBHOOKS = { group: 'admissionregistration.k8s.io', plural: 'mutatingwebhookconfigurations' };
const NAME = 'stages.argosy.dev';

/** Stages at admission, as the mutating webhook that they play. */
export async function startWebhook(mirror: Mirror, stages: readonly Stage[]): Promise<{ close(): Promise<void> }> {
  const { certificate, key } = issueCertificate({
    commonName: NAME,
    use: 'server',
    hosts: ['127.0.0.1'],
    notBefore: new Date(Date.now() - 60_000),
    days: 1,
  });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(writeJson(review(stages, parseJson(Buffer.concat(chunks).toString('utf8')))));
    });
  });
  const port = await listen(server);
  await remoteClient(mirror, NAME).create(WEBHOOKS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: NAME },
    webhooks: stages.map((stage, index) => webhookOf(stage, index, port, certificate, mirror)),
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function webhookOf({ match }: Stage, index: number, port: number, certificate: string, mirror: Mirror): JsonObject {
  const kind = mirror.byKind(match.group, match.kind);
  if (kind === undefined) throw new Error(`nothing serves ${match.kind}, which a stage at admission matches`);
  return {
    name: `stage-${index}.${NAME}`,
    clientConfig: {
      url: `https://127.0.0.1:${port}/`,
      caBundle: Buffer.from(certificate).toString('base64'),
    },
    rules: [
      { apiGroups: [kind.group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [kind.plural] },
    ],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

/** Allowed, with what the stage changes; a stage that fails is an error of the webhook. */
function review(stages: readonly Stage[], asked: Json): JsonObject {
  const object = valueAt(asked, 'request', 'object');
  const uid = valueAt(asked, 'request', 'uid') ?? '';
  const answer = (more: JsonObject): JsonObject => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true, ...more },
  });
  if (!isObject(object)) return answer({});
  const patch = changesOf(stages, object as unknown as KubeObject);
  return patch.length === 0
    ? answer({})
    : answer({ patchType: 'JSONPatch', patch: Buffer.from(writeJson(patch)).toString('base64') });
}

function changesOf(stages: readonly Stage[], object: KubeObject): JsonObject[] {
  const fitting = stages.filter(
    ({ match }) => object.kind === match.kind && object.apiVersion.startsWith(`${match.group}/`),
  );
  const choice = fitting.length === 0 ? undefined : chooseSelfStage(fitting, object, new Date());
  if (choice === undefined) return [];
  const next = applyMergePatch(object, patchOf(choice.stage, object, { values: choice.values }));
  if (!isObject(next)) throw new ApiError(500, 'InternalError', 'a stage made no object', {});
  return Object.keys(next).map((field) => ({
    op: 'add',
    path: `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value: own(next, field) ?? null,
  }));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
