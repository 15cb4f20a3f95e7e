import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { realTimer, treeOf } from '../testing/tree.js';
import { Tools } from '../tools.js';
import { pluginEnvironment } from './plugin-environment.js';
import type { PluginRequest } from './plugin-request.js';
import { discoverPlugin, runPlugin } from './run-plugin.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-plugin-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const REQUEST: PluginRequest = {
  name: 'mine',
  tree: treeOf({ 'app/in.txt': 'kind: ConfigMap', 'app/deep/x.ext': '' }),
  project: '',
  path: 'app',
  kubeVersion: '1.34.4',
  apiVersions: ['v1', 'apps/v1'],
  environment: new Map([
    ['ARGOCD_APP_NAME', 'shop'],
    ['ARGOCD_APP_REVISION', 'abc'],
  ]),
  plugin: {
    env: [{ name: 'WHO', value: '$ARGOCD_APP_NAME-${KUBE_VERSION}-$$x$NOBODY' }],
    parameters: [
      { name: 'image.tag', string: 'v1' },
      { name: 'list-of', array: ['a', 'b'] },
      { name: 'm', map: { 'k.1': 'v' } },
    ],
  },
};

function open(files: Record<string, string>): Promise<Tools> {
  const named = Object.entries(files).map(([name, text]) => {
    const path = join(root, `${name}.${text.startsWith('#!') ? 'sh' : 'yaml'}`);
    writeFileSync(path, text, { mode: 0o755 });
    return `${name}=${path}`;
  });
  return Tools.open({ named: [...named, 'sh=/bin/sh'], directory: join(root, 'runs'), after: realTimer });
}

const plugin = (spec: object): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ConfigManagementPlugin',
    metadata: { name: 'mine' },
    spec,
  });

describe('a plugin', () => {
  it('gets what Argo CD gives it', () => {
    expect(pluginEnvironment(REQUEST)).toEqual({
      ARGOCD_APP_NAME: 'shop',
      ARGOCD_APP_REVISION: 'abc',
      KUBE_VERSION: '1.34.4',
      KUBE_API_VERSIONS: 'v1,apps/v1',
      ARGOCD_ENV_WHO: 'shop-1.34.4-$x',
      ARGOCD_APP_PARAMETERS:
        '[{"name":"image.tag","string":"v1"},{"name":"list-of","array":["a","b"]},{"name":"m","map":{"k.1":"v"}}]',
      PARAM_IMAGE_TAG: 'v1',
      PARAM_LIST_OF_0: 'a',
      PARAM_LIST_OF_1: 'b',
      PARAM_M_K_1: 'v',
    });
  });

  it('cannot be given a variable with another name inside', () => {
    expect(() => pluginEnvironment({ ...REQUEST, plugin: { env: [{ name: 'A=B', value: '' }] } })).toThrow(
      'cannot be an environment variable',
    );
  });

  it('is a program that prints manifests', async () => {
    const tools = await open({
      mine: '#!/bin/sh\nread -r line < in.txt\necho "apiVersion: v1"; echo "$line"; echo "# $PARAM_IMAGE_TAG"\n',
    });
    expect(await runPlugin(tools, { ...REQUEST, tree: treeOf({ 'app/in.txt': 'kind: ConfigMap\n' }) })).toBe(
      'apiVersion: v1\nkind: ConfigMap\n# v1\n',
    );
  });

  it('is a file that says what to run before and what to run', async () => {
    const tools = await open({
      mine: plugin({
        init: { command: ['sh', '-c', 'echo made > made.txt'] },
        generate: { command: ['/bin/sh'], args: ['-c', 'read -r line < made.txt; echo "$line"'] },
      }),
    });
    expect(await runPlugin(tools, REQUEST)).toBe('made\n');
  });

  it('finds no program but those that were named', async () => {
    const tools = await open({ mine: plugin({ generate: { command: ['bash', '-c', 'true'] } }) });
    await expect(runPlugin(tools, REQUEST)).rejects.toThrow('no program is configured for "bash"');
    await expect(runPlugin(await open({ mine: plugin({}) }), REQUEST)).rejects.toThrow('spec.generate.command');
  });

  it.each([
    [{ discover: { fileName: './in.txt' } }, 'mine'],
    [{ discover: { fileName: 'out.txt' } }, undefined],
    [{ discover: { find: { glob: '**/*.ext' } } }, 'mine'],
    [{ discover: { find: { command: ['sh', '-c', '[ -e in.txt ] && echo yes'] } } }, 'mine'],
    [{ discover: { find: { command: ['sh', '-c', 'true'] } } }, undefined],
    [{}, undefined],
  ])('claims a folder by %j', async (spec, expected) => {
    expect(
      await discoverPlugin(await open({ mine: plugin({ generate: { command: ['sh'] }, ...spec }) }), REQUEST),
    ).toBe(expected);
  });
});
