import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorld } from '../../src/apiserver/stages/read-world.js';
import { isArray, isObject, parseJson, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import type { Answer } from '../apiserver/connection.js';
import { openReal, type Server } from '../apiserver/servers.js';
import { realParts } from '../real/parts.js';

const WORLD = join(import.meta.dirname, '../../world');
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Far more than a server needs to serve a kind. */
const SERVED_WITHIN = 30_000;

const parts = await realParts(['etcd', 'kube-apiserver']);
const absent = parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;
const wanted = (process.env['ARGOSY_CONTRACT'] ?? 'both') !== 'embedded';

let server: Server | undefined;

async function call(method: string, path: string, body?: Json): Promise<Answer> {
  if (server === undefined) throw new Error('the server is not up');
  return server.connection.send({
    method,
    path,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : writeJson(body),
  });
}

const reasonOf = ({ code, text }: Answer): string => `${code} ${String(record(parseJson(text))['message'] ?? '')}`;

function record(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function conditions(crd: Json): Map<string, string> {
  const list = record(record(crd)['status'])['conditions'];
  return new Map(
    (isArray(list) ? list : []).map((condition) => {
      const { type, status, message } = record(condition);
      return [String(type), status === 'True' ? 'True' : `${String(status)} ${String(message ?? '')}`];
    }),
  );
}

/** The conditions of a definition once its kind is served, or when time is up. */
async function served(name: string): Promise<Map<string, string>> {
  const end = performance.now() + SERVED_WITHIN;
  for (;;) {
    const found = conditions(parseJson((await call('GET', `${CRDS}/${name}`)).text));
    if (found.get('Established') === 'True' || performance.now() > end) return found;
    await delay(50);
  }
}

/**
 * Where an object of an installation is posted: its definition says how the kind is called there, or the server itself.
 */
async function pathOf(
  { apiVersion, kind, metadata: { namespace } }: KubeObject,
  crds: readonly KubeObject[],
): Promise<string> {
  const { group, version } = splitApiVersion(apiVersion);
  const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}`;
  const defined = crds
    .map((crd) => record(crd['spec']))
    .find((spec) => spec['group'] === group && record(spec['names'])['kind'] === kind);
  const plural = defined === undefined ? await pluralOf(root, kind) : String(record(defined['names'])['plural']);
  return `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}`;
}

async function pluralOf(root: string, kind: string): Promise<string> {
  const list = record(parseJson((await call('GET', root)).text))['resources'];
  const found = (isArray(list) ? list : [])
    .map(record)
    .find((one) => one['kind'] === kind && !String(one['name']).includes('/'));
  return String(found?.['name']);
}

describe.skipIf(absent !== undefined || !wanted)(
  absent ?? 'the real kube-apiserver accepts the kinds of the world',
  () => {
    beforeAll(async () => {
      server = await openReal();
    }, 90_000);
    afterAll(async () => {
      await server?.stop();
    });

    for (const name of readdirSync(join(WORLD, 'controllers')).sort()) {
      it(`of ${name}`, { timeout: SERVED_WITHIN + 30_000 }, async () => {
        const [controller] = await readWorld(WORLD, [name]);
        const crds = controller?.crds ?? [];
        for (const crd of crds) {
          const crdName = crd.metadata.name ?? '';
          expect(reasonOf(await call('POST', CRDS, crd)), crdName).toMatch(/^201 /);
          const found = await served(crdName);
          expect(
            { established: found.get('Established'), nonStructural: found.get('NonStructuralSchema') },
            crdName,
          ).toEqual({ established: 'True', nonStructural: undefined });
        }
        for (const object of controller?.objects ?? []) {
          const { namespace } = object.metadata;
          if (namespace !== undefined)
            await call('POST', '/api/v1/namespaces', {
              apiVersion: 'v1',
              kind: 'Namespace',
              metadata: { name: namespace },
            });
          expect(
            reasonOf(await call('POST', `${await pathOf(object, crds)}?fieldValidation=Strict`, object)),
            `${object.kind} ${object.metadata.name ?? ''}`,
          ).toMatch(/^(?:201|409) /);
        }
      });
    }

    it('and refuses a build without a place to clone from, with the words of OpenShift', async () => {
      for (const git of [{}, { uri: '' }]) {
        const config = {
          apiVersion: 'build.openshift.io/v1',
          kind: 'BuildConfig',
          metadata: { name: 'app' },
          spec: { source: { git }, strategy: { dockerStrategy: {} } },
        };
        expect(
          reasonOf(await call('POST', '/apis/build.openshift.io/v1/namespaces/default/buildconfigs', config)),
        ).toMatch(/^422 .*spec\.source\.git\.uri: Required value/);
      }
    });

    it('and fills in what OpenShift fills in for a Route', async () => {
      const route = {
        apiVersion: 'route.openshift.io/v1',
        kind: 'Route',
        metadata: { name: 'web' },
        spec: { to: { name: 'web' }, tls: {} },
      };
      const made = record(
        parseJson((await call('POST', '/apis/route.openshift.io/v1/namespaces/default/routes', route)).text),
      );
      expect(made['spec']).toEqual({
        to: { kind: 'Service', name: 'web', weight: 100 },
        tls: { termination: 'edge' },
        wildcardPolicy: 'None',
      });
    });
  },
);
