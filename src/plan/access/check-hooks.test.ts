import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { shellCommands } from './shell-words.js';
import { checkHooks, type ResourceName } from './check-hooks.js';

/** `given.yaml`: manifests; those labelled `in: cluster` are live. `expect.txt`: what is found. */
const CASES = join(import.meta.dirname, 'cases');

const RESOURCES: readonly (readonly [string, string, string])[] = [
  ['', 'pods', 'pod po'],
  ['', 'secrets', 'secret'],
  ['batch', 'jobs', 'job'],
  ['apps', 'deployments', 'deployment deploy'],
  ['image.openshift.io', 'imagestreamtags', 'imagestreamtag istag'],
  ['build.openshift.io', 'builds', 'build'],
  ['build.openshift.io', 'buildconfigs', 'buildconfig bc'],
  ['', 'nodes', 'node no'],
  ['mlops.mlops.dev', 'notebookvalidationjobs', 'notebookvalidationjob nvj'],
];

function resolve(word: string): ResourceName | undefined {
  const found = RESOURCES.find(([group, plural, others]) =>
    [plural, ...others.split(' ')].some((name) => word === name || word === `${name}.${group}`),
  );
  return found && { group: found[0], resource: found[1], namespaced: found[1] !== 'nodes' };
}

describe('rights of hooks', () => {
  it.each(readdirSync(CASES))('%s', async (name) => {
    const folder = join(CASES, name);
    const given = readYaml(readFileSync(join(folder, 'given.yaml'), 'utf8'), { dialect: 'kubernetes', file: name })
      .map(({ value }) => value)
      .filter(isObject) as KubeObject[];
    const isLive = ({ metadata }: KubeObject): boolean => metadata.labels?.['in'] === 'cluster';
    const findings = checkHooks({
      objects: given.filter((object) => !isLive(object)),
      destinationNamespace: 'shop',
      live: () => given.filter(isLive),
      resolve,
      configMap: (namespace, map) =>
        given.find(
          (object) =>
            isLive(object) &&
            object.kind === 'ConfigMap' &&
            object.metadata.namespace === namespace &&
            object.metadata.name === map,
        ),
    });
    await expect(
      findings.length === 0
        ? 'nothing\n'
        : findings.map(({ kind, message, add }) => `${kind}: ${message}\n${add}`).join(''),
    ).toMatchFileSnapshot(join(folder, 'expect.txt'));
  });
});

it.each<[string, string[][]]>([
  ['oc get pods', [['oc', 'get', 'pods']]],
  [
    'while ! oc get imagestreamtag nv:latest; do\n  sleep 30\ndone',
    [['oc', 'get', 'imagestreamtag', 'nv:latest'], ['sleep', '30'], ['done']],
  ],
  ['echo "run oc get pods" # oc get nodes\n', [['echo', 'run oc get pods']]],
  ['P="$(oc get secret a -o jsonpath=\'{.data.x}\')"', [['oc', 'get', 'secret', 'a', '-o', 'jsonpath={.data.x}']]],
  [
    'T=1 timeout 300 kubectl wait --for=condition=Ready pod/x && echo `oc whoami`',
    [
      ['kubectl', 'wait', '--for=condition=Ready', 'pod/x'],
      ['oc', 'whoami'],
      ['echo', '$'],
    ],
  ],
  [
    'cat <<EOF | oc apply -f -\noc get nodes\nEOF\noc get pods',
    [['cat'], ['oc', 'apply', '-f', '-'], ['oc', 'get', 'pods']],
  ],
  [
    'E=$((E + 30)); [ $E -lt 5 ] || exit 1',
    [
      ['[', '$E', '-lt', '5', ']'],
      ['exit', '1'],
    ],
  ],
  ['oc get \\\n  pods', [['oc', 'get', 'pods']]],
  ["echo 'unfinished", [['echo', 'unfinished']]],
])('%j is read word by word', (script, words) =>
  expect(shellCommands(script).map((command) => command.words)).toEqual(words),
);
