import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { ProcessLab, stateOf } from '../../src/apiserver/testing/process-lab.js';
import { isObject, objectsAt, textAt, type JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';

const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
const sh = (script: string): JsonObject => ({ command: ['sh', '-c', script] });

/** What an ordinary author of pods may write, and what it must not do to this machine or to the server. */
describe(`a pod that runs as a process${missing}`, { skip: missing !== '' }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-hostile-pods-'));
  let server: ApiServer;
  let lab: ProcessLab;
  beforeAll(async () => {
    server = await startApiServer({
      data: join(scratch, 'data'),
      port: 0,
      controllers: true,
      log: NO_LOG,
      processes: { images: [{ image: 'here:*' }] },
    });
    lab = new ProcessLab(server.kubeconfig);
  });
  afterAll(async () => {
    await server.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  const claim = async (name: string, volumeName: string): Promise<void> => {
    await lab.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...(volumeName === '' ? {} : { volumeName }),
      },
    });
    if (volumeName !== '')
      await lab.ask('PATCH', `/api/v1/namespaces/default/persistentvolumeclaims/${name}/status`, {
        status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
      });
  };
  /** Who names the node goes around the scheduler, which waits for a real volume. */
  const withClaim = async (name: string, script: string, isPlaced: boolean): Promise<void> => {
    const [node] = objectsAt((await lab.ask('GET', '/api/v1/nodes')).body, 'items');
    await lab.pod(
      name,
      { ...sh(script), volumeMounts: [{ name: 'v', mountPath: '/mnt/v' }] },
      {
        ...(isPlaced ? { nodeName: textAt(node ?? {}, 'metadata', 'name') } : {}),
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
      },
    );
  };
  const refusal = async (name: string): Promise<string> => {
    const status = await lab.until(
      name,
      (each) => textAt(stateOf(each), 'waiting', 'reason') === 'CreateContainerError' || isEnded(each),
    );
    return textAt(stateOf(status), 'waiting', 'message');
  };
  const isEnded = (status: JsonObject): boolean => isObject(stateOf(status)['terminated']);

  it.each(['../pki', '..', 'a/../../pki'])('does not get the folder that its claim calls %s', async (volumeName) => {
    const name = `thief-${volumeName.length}`;
    await claim(name, volumeName);
    await withClaim(name, 'ls /mnt/v; cat /mnt/v/admin.key', true);
    await expect(refusal(name)).resolves.toBe(`claim "${name}" is not bound to a volume of its own`);
  });

  it('does not get the volume that another claim is bound to', async () => {
    await claim('owner', '');
    await withClaim('owner', 'echo secret > /mnt/v/file', false);
    await lab.ended('owner');
    const bound = (await lab.ask('GET', '/api/v1/namespaces/default/persistentvolumeclaims/owner')).body as JsonObject;
    await claim('other', textAt(bound, 'spec', 'volumeName'));
    await withClaim('other', 'cat /mnt/v/file', true);
    await expect(refusal('other')).resolves.toBe('claim "other" is not bound to a volume of its own');
  });

  it.each([
    ['a path that is no path', { path: '/a b\u0001\ud800', port: 1 }],
    ['a header that is no header', { path: '/', port: 1, httpHeaders: [{ name: 'X-A', value: 'a\u0001\nb' }] }],
    ['a port that nobody names', { path: '/', port: 'nowhere' }],
  ])('fails its probe with %s, and nothing else ends', async (what, httpGet) => {
    const name = what.replaceAll(' ', '-');
    await lab.pod(name, { ...sh('sleep 60'), readinessProbe: { httpGet, periodSeconds: 1 } });
    await lab.until(name, (status) => isObject(stateOf(status)['running']));
    const events = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name},reason=Unhealthy`;
    await expect
      .poll(async () => objectsAt((await lab.ask('GET', events)).body as JsonObject, 'items').length, {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    await lab.ask('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
  });

  it('ends with the beginning of a termination message of any size', async () => {
    await lab.pod('long', sh('printf begin > /dev/termination-log; truncate -s 3G /dev/termination-log; exit 1'));
    const { terminated } = stateOf(await lab.ended('long')) as { terminated: JsonObject };
    expect(terminated).toMatchObject({ exitCode: 1, message: expect.stringMatching(/^begin/) as string });
    expect(String(terminated['message']).length).toBeLessThanOrEqual(4096);
  });

  it('writes its termination message nowhere but inside', async () => {
    const outside = join(scratch, 'escaped');
    await lab.pod('climber', {
      ...sh('exit 0'),
      terminationMessagePath: `${'/..'.repeat(30)}${outside}`,
    });
    await lab.ended('climber');
    expect(existsSync(outside)).toBe(false);
  });

  it('takes its token with it when it goes', async () => {
    const file = '/var/run/secrets/kubernetes.io/serviceaccount/token';
    await lab.pod('guest', sh(`cat ${file}; echo; sleep 60`));
    await lab.until('guest', (status) => isObject(stateOf(status)['running']));
    await expect.poll(() => lab.log('guest'), { timeout: 20_000 }).toContain('.');
    const token = (await lab.log('guest')).trim();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const isValid = async (): Promise<unknown> => {
      const { body } = await lab.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
      return isObject(body) && isObject(body['status']) ? body['status']['authenticated'] : undefined;
    };
    await expect(isValid()).resolves.toBe(true);
    await lab.ask('DELETE', '/api/v1/namespaces/default/pods/guest?gracePeriodSeconds=0');
    await expect.poll(isValid).not.toBe(true);
  });

  it('that cannot be started says why, and does not run', async () => {
    await lab.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd' }, data: { a: 'x' } });
    const items = [
      { key: 'a', path: 'file' },
      { key: 'a', path: 'file/below' },
    ];
    await lab.pod(
      'odd',
      { ...sh('sleep 60'), volumeMounts: [{ name: 'v', mountPath: '/mnt/v' }] },
      { volumes: [{ name: 'v', configMap: { name: 'odd', items } }] },
    );
    await expect(refusal('odd')).resolves.toMatch(/^EEXIST|^ENOTDIR/);
  });
});
