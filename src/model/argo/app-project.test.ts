import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PROJECT_SPEC, mergeGlobalProjects, parseAppProject, type AppProject } from './app-project.js';
import type { JsonObject } from '../json/json.js';
import {
  isIgnoredOrphan,
  findDestinationViolation,
  findNamespaceViolation,
  findObjectViolation,
  findSourceViolation,
} from './project-violations.js';
import { normalizeUrl } from '../formats/repository-url.js';
import { readOneYaml } from '../yaml/read-yaml.js';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'cases', name), 'utf8');

interface Question {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly isByName?: boolean;
  readonly clusterProject?: string;
  readonly answer?: string;
}

interface Case {
  readonly name: string;
  readonly spec: JsonObject;
  readonly sources?: Readonly<Record<string, string | null>>;
  readonly namespaces?: Readonly<Record<string, string | null>>;
  readonly orphans?: Readonly<Record<string, boolean>>;
  readonly destinations?: readonly Question[];
  readonly objects?: readonly Question[];
}

function project(spec: JsonObject, name = 'p'): AppProject {
  return parseAppProject({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec });
}

const CLUSTER = { server: 'https://a.example', name: 'a' };

function expectOrphan(rules: AppProject, key: string, answer: boolean): void {
  const [group = '', kind = '', namespace = '', name = ''] = key.split('/');
  expect(isIgnoredOrphan(rules, { group, kind, namespace, name }), key).toBe(answer);
}

function expectDestination(rules: AppProject, question: Question): void {
  const { answer, server = '', name = '', namespace = '', ...rest } = question;
  expect(findDestinationViolation(rules, { server, name, namespace, ...rest }), `${server} ${name} ${namespace}`).toBe(
    answer,
  );
}

function expectObject(rules: AppProject, question: Question): void {
  const { answer, group = '', kind = '', name = '', namespace = '' } = question;
  expect(
    findObjectViolation(rules, { group, kind, name, namespace, isNamespaced: namespace !== '' }, CLUSTER),
    `${kind} ${name}`,
  ).toBe(answer);
}

describe('a project', () => {
  it.each(readOneYaml(read('app-projects.yaml'), { dialect: 'kubernetes' }) as unknown as Case[])('$name', (given) => {
    const rules = project(given.spec);
    for (const [url, answer] of Object.entries(given.sources ?? {}))
      expect(findSourceViolation(rules, url) ?? null, url).toBe(answer);
    for (const [namespace, answer] of Object.entries(given.namespaces ?? {})) {
      expect(findNamespaceViolation(rules, { name: 'cart', namespace }, 'argocd') ?? null, namespace).toBe(answer);
    }
    for (const [key, answer] of Object.entries(given.orphans ?? {})) expectOrphan(rules, key, answer);
    for (const question of given.destinations ?? []) expectDestination(rules, question);
    for (const question of given.objects ?? []) expectObject(rules, question);
  });

  it('named default allows everything as Argo CD creates it', () => {
    const rules = project(DEFAULT_PROJECT_SPEC, 'default');
    expect(findSourceViolation(rules, 'https://git.example/any/where')).toBeUndefined();
    expect(findDestinationViolation(rules, { ...CLUSTER, namespace: 'x' })).toBeUndefined();
    expect(
      findObjectViolation(
        rules,
        { group: '', kind: 'Namespace', name: 'x', namespace: '', isNamespaced: false },
        CLUSTER,
      ),
    ).toBeUndefined();
  });

  it('gets the lists of global projects added', () => {
    const own = project({ sourceRepos: ['a'], syncWindows: [{ kind: 'deny' }] });
    const merged = mergeGlobalProjects(own, [
      project(
        {
          sourceRepos: ['b'],
          destinations: [{ server: '*', namespace: 'x' }],
          namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
          clusterResourceWhitelist: [{ group: '*', kind: '*' }],
        },
        'g',
      ),
      project(
        {
          syncWindows: [{ kind: 'allow' }],
          destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'd' }],
        },
        'h',
      ),
    ]);
    expect(merged).toMatchObject({
      name: 'p',
      sourceRepos: ['a', 'b'],
      syncWindows: [{ kind: 'deny' }, { kind: 'allow' }],
      clusterResourceWhitelist: [{ kind: '*' }],
    });
    expect(merged.namespaceResourceWhitelist).toBeUndefined();
    expect(
      findObjectViolation(
        merged,
        { group: '', kind: 'Secret', name: 's', namespace: 'x', isNamespaced: true },
        CLUSTER,
      ),
    ).toBe('resource :Secret is not permitted in project p');
    expect(
      mergeGlobalProjects(own, [project({ namespaceResourceWhitelist: [] })]).namespaceResourceWhitelist,
    ).toBeUndefined();
    expect(
      mergeGlobalProjects(own, [project({ namespaceResourceWhitelist: [{ group: '', kind: 'Secret' }] })])
        .namespaceResourceWhitelist,
    ).toHaveLength(1);
  });

  it('reads signatures in both spellings', () => {
    const keys = [{ keyID: 'ABCD' }];
    expect(project({ signatureKeys: keys }).signaturePolicies).toEqual([
      { repositories: ['*'], mode: 'head', keys: ['ABCD'] },
    ]);
    const policies = [
      {
        repos: [{ url: 'https://git.example/*' }, { url: '!https://git.example/free' }],
        gpg: { mode: 'strict', keys: ['EF'] },
      },
    ];
    expect(project({ signatureKeys: keys, sourceIntegrity: { git: { policies } } }).signaturePolicies).toEqual([
      { repositories: ['https://git.example/*', '!https://git.example/free'], mode: 'strict', keys: ['EF'] },
    ]);
    expect(project({ signatureKeys: keys, sourceIntegrity: {} }).signaturePolicies).toHaveLength(1);
  });

  it.each([
    [{ sourceRepos: 'all' }, 'spec.sourceRepos must be a list of texts'],
    [{ destinations: [{ server: 5 }] }, 'spec.destinations[0].server must be text'],
    [{ clusterResourceWhitelist: {} }, 'spec.clusterResourceWhitelist must be a list of objects'],
    [
      { sourceIntegrity: { git: { policies: [{ gpg: { mode: 'maybe' } }] } } },
      'spec.sourceIntegrity.git.policies[0].gpg.mode must be none, head or strict',
    ],
    [
      { sourceIntegrity: { git: { policies: [{}] } } },
      'spec.sourceIntegrity.git.policies[0].gpg must be an object with mode and keys',
    ],
  ] as [JsonObject, string][])('that is wrong says where: %j', (spec, message) => {
    expect(() => project(spec)).toThrow(message);
  });
});

describe('the address of a repository', () => {
  // Checked against Argo CD 3.5.6 and Go's net/url.
  it.each(JSON.parse(read('repository-urls.json')) as { url: string; normal: string }[])('$url', ({ url, normal }) => {
    expect(normalizeUrl(url)).toBe(normal);
  });
});
