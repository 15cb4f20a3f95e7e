import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInstallLab, untilDelivered, whyNoInstallation, type InstallLab } from './install-lab.js';

const absent = whyNoInstallation();
/** The row of doctor for pods whose image is nowhere. */
const SICK = /pods of argosy-server +failed +argosy-server \d\/2 available: pod \S+: (ErrImagePull|ImagePullBackOff)/;
const OUT = ['get', 'pods', '-n', 'argocd', '-o'];

describe.skipIf(absent !== undefined)(absent ?? 'argosy install on an empty real node', () => {
  let lab: InstallLab;
  beforeAll(async () => {
    lab = await openInstallLab();
  });
  afterAll(() => lab.stop());

  it('goes from nothing to an application that is Synced and Healthy, where restricted is enforced', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await lab.node.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd', labels } }]);
    const { code, err, out } = await lab.argosy('install', '--ha', '2', '-o', 'apply');
    expect([code, err]).toEqual([0, expect.stringContaining('context')]);
    expect(out).toContain('Argosy is available in namespace argocd.');
    await untilDelivered(lab);
    expect(
      await lab.node.kubectl(['get', 'deploy', 'web', '-n', 'shop', '-o', 'jsonpath={.status.availableReplicas}']),
    ).toBe('1');
  });

  it('probes and ports answer, and doctor finds nothing wrong', async () => {
    const { code, out } = await lab.argosy('doctor');
    expect(out.split('\n').filter((line) => / {2}(failed|warning|unknown) {2}/.test(line))).toEqual([]);
    expect([code, out]).toEqual([0, expect.stringMatching(/port 8080 of argosy-server-\S+ +ok +ok/)]);
    expect(out).toMatch(/certificate of the server +ok +Secret argocd-secret/);
    expect(out).toMatch(/clock of argosy-controller-\S+ +ok/);
    expect(await lab.node.kubectl([...OUT, 'jsonpath={.items[*].status.containerStatuses[0].restartCount}'])).toBe(
      '0 0 0 0',
    );
  });

  it('the first password of admin is in its Secret and in no log of a pod', async () => {
    const { out } = await lab.argosy('admin', 'initial-password');
    const [password = ''] = out.split('\n');
    expect(password).toMatch(/^[\w-]{20}$/);
    const log = await lab.node.kubectl([
      'logs',
      '-n',
      'argocd',
      '-l',
      'app.kubernetes.io/name=argosy-server',
      '--tail=-1',
    ]);
    expect(log).toContain('API on https://0.0.0.0:8080 as argosy-server, argosy-server.argocd,');
    expect(log).not.toContain(password);
  });

  it('an image that cannot start is named by install and by doctor', async () => {
    const { code, err } = await lab.argosy('upgrade', '--image', 'registry.invalid/argosy:9', '--timeout', '8');
    expect([code, err]).toEqual([
      20,
      expect.stringMatching(/not available within 8 s: pod argosy-\S+: (ErrImagePull|ImagePullBackOff)/),
    ]);
    const sick = await lab.argosy('doctor');
    expect([sick.code, sick.out]).toEqual([1, expect.stringMatching(SICK)]);
    expect((await lab.argosy('install', '--ha', '2', '-o', 'apply')).code).toBe(0);
  });

  it('narrow rights are enough for the namespaces that they name', async () => {
    const { code, err } = await lab.argosy('upgrade', '--rights', 'narrow', '--deliver-to', 'shop');
    expect([code, err]).toEqual([0, expect.stringContaining('context')]);
    await untilDelivered(lab, 'second');
    expect(await lab.node.kubectl(['get', 'deploy', 'web-second', '-n', 'shop', '-o', 'name'])).toContain('web-second');
    expect((await lab.argosy('doctor')).out.split('\n').filter((line) => / {2}failed {2}/.test(line))).toEqual([]);
  });

  it('uninstall leaves the application and its pods as they are', async () => {
    const pod = ['get', 'pods', '-n', 'shop', '-o', 'jsonpath={.items[*].metadata.uid} {.items[*].status.phase}'];
    const before = await lab.node.kubectl(pod);
    expect((await lab.argosy('uninstall', '--yes')).code).toBe(0);
    await lab.node.until([...OUT, 'name'], (printed) => printed === '');
    expect(await lab.node.kubectl(pod)).toBe(before);
    expect(await lab.node.kubectl(['get', 'application', 'web', '-n', 'argocd', '-o', 'name'])).toContain('web');
  });
});
