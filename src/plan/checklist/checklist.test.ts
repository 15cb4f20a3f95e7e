import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gvkOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { checkApplication, CHECKLIST_RULES, countLines, type ChecklistLine } from './check-application.js';
import type { CheckedObject, ChecklistInput } from './checklist-input.js';

const CASES = join(import.meta.dirname, 'cases');

/** An application and what is known about it; `rules` are the ones whose lines are expected. */
interface Case extends Partial<Omit<ChecklistInput, 'places' | 'policy' | 'objects'>> {
  readonly application: KubeObject;
  readonly rules?: readonly string[];
  readonly places?: Readonly<Record<string, string>>;
  readonly branches?: readonly string[];
  readonly documentation?: string;
  readonly objects?: readonly (Partial<CheckedObject> & { readonly target?: KubeObject; readonly live?: KubeObject })[];
}

const PLAIN: JsonObject = {
  project: 'shop',
  source: { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' },
  destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  syncPolicy: { automated: { prune: true, selfHeal: true } },
};

/** What a case leaves out is a good application. */
function questionOf({
  application,
  places = {},
  branches = ['main'],
  documentation,
  objects = [],
  rules: _,
  ...more
}: Case): ChecklistInput {
  const spec = isObject(application.spec) ? { ...PLAIN, ...application.spec } : PLAIN;
  return {
    isLive: true,
    isProduction: true,
    shared: [],
    places: new Map(Object.entries(places)),
    policy: { branches, ...(documentation === undefined ? {} : { documentation }) },
    ...more,
    application: {
      ...application,
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'web', namespace: 'argocd', ...application.metadata },
      spec,
    },
    objects: objects.map((each) => ({
      status: 'Synced',
      differences: [],
      origin: '',
      key: keyOf(each.target ?? each.live),
      ...each,
    })),
  };
}

function keyOf(object: KubeObject | undefined): Key {
  if (object === undefined) throw new Error('an object needs a target or a live state');
  const { group, kind } = gvkOf(object);
  return { group, kind, namespace: object.metadata.namespace ?? 'shop', name: object.metadata.name ?? '' };
}

function show({ rule, state, object, field, where, message, remedy, add }: ChecklistLine): string {
  const lines = [
    `${rule}: ${state}: ${object}${field === '' ? '' : ` ${field}`}${where === '' ? '' : ` (${where})`}`,
    `  ${message}`,
    ...(remedy === '' ? [] : [`  do: ${remedy}`]),
  ];
  return `${lines.join('\n')}\n${
    add === ''
      ? ''
      : `  add:\n${add
          .trimEnd()
          .split('\n')
          .map((line) => `    ${line}`)
          .join('\n')}\n`
  }`;
}

const read = (name: string): Case =>
  readOneYaml(readFileSync(join(CASES, name, 'given.yaml'), 'utf8'), {
    dialect: 'kubernetes',
    file: name,
  }) as unknown as Case;

describe('the checklist', () => {
  it.each(readdirSync(CASES))('%s', async (name) => {
    const given = read(name);
    const lines = checkApplication(questionOf(given)).filter(
      ({ rule }) => given.rules === undefined || given.rules.includes(rule),
    );
    await expect(lines.map(show).join('')).toMatchFileSnapshot(join(CASES, name, 'expect.txt'));
  });

  it('has a case for every rule that fails or advises', () => {
    const told = readdirSync(CASES)
      .flatMap((name) => checkApplication(questionOf(read(name))))
      .filter(({ state }) => state === 'fails' || state === 'advised')
      .map(({ rule }) => rule);
    expect(CHECKLIST_RULES.filter((rule) => !told.includes(rule))).toEqual([]);
  });

  it('never shows a value that it takes for a secret', () => {
    const shown = readdirSync(CASES)
      .flatMap((name) => checkApplication(questionOf(read(name))))
      .map(show)
      .join('');
    expect(shown).not.toContain('hunter2');
  });

  it('counts lines by state', () => {
    const lines = checkApplication(
      questionOf({ application: { apiVersion: '', kind: '', metadata: {}, status: { sync: { status: 'Synced' } } } }),
    );
    expect(countLines(lines)).toEqual({ holds: 12, fails: 1, accepted: 0, advised: 0, unchecked: 2 });
  });
});
