import { describe, expect, it } from 'vitest';
import { readSettings } from '../../model/settings/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { nextFill, findFillViolation, readFillRequest } from './fill.js';

const WISH =
  '{object: {group: pfe.rhpds.com, kind: Gitea, namespace: gitea, name: main}, keys: {username: ' +
  '.spec.giteaAdminUser, password: .status.adminPassword}}';
const secret = (request: string, data?: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'ml', annotations: { 'argosy.dev/fill-from': request } },
  ...(data === undefined ? {} : { data }),
});
const gitea = (status: JsonObject): KubeObject => ({
  apiVersion: 'pfe.rhpds.com/v1',
  kind: 'Gitea',
  metadata: { name: 'main', namespace: 'gitea' },
  spec: { giteaAdminUser: 'admin' },
  status,
});
const rules = (text: string): ReturnType<typeof readSettings>['fillRules'] =>
  readSettings({ cm: new Map(), rbac: new Map(), cmdParams: new Map([['argosy.fill-from', text]]), environment: {} })
    .fillRules;
const ALLOWED =
  '- {from: {group: pfe.rhpds.com, kind: Gitea, namespace: gitea, name: "*"}, fields: ' +
  '[.spec.giteaAdminUser, .status.adminPassword], to: {namespaces: [ml, argocd]}}';
const stored = (text: string): string => Buffer.from(text).toString('base64');

describe('a Secret is filled from fields of another object', () => {
  const request = readFillRequest(secret(WISH));
  if (request === undefined) throw new Error('no wish');

  it.each<[string, JsonObject | undefined, KubeObject | undefined, unknown]>([
    [
      'what is missing is written',
      undefined,
      gitea({ adminPassword: 'pw' }),
      { kind: 'fill', data: { username: stored('admin'), password: stored('pw') }, keys: ['username', 'password'] },
    ],
    [
      'only what differs is written',
      { username: stored('admin'), password: 'b2xk', other: 'eA==' },
      gitea({ adminPassword: 'pw' }),
      { kind: 'fill', data: { password: stored('pw') }, keys: ['password'] },
    ],
    [
      'nothing is written twice',
      { username: stored('admin'), password: stored('pw') },
      gitea({ adminPassword: 'pw' }),
      { kind: 'same' },
    ],
    [
      'a field that is not there yet is waited for, and nothing is half filled',
      undefined,
      gitea({}),
      { kind: 'waits', message: 'Gitea gitea/main has no .status.adminPassword yet' },
    ],
    [
      'an object that is gone changes nothing',
      { password: 'b2xk' },
      undefined,
      { kind: 'waits', message: 'Gitea gitea/main does not exist' },
    ],
    [
      'a field that is no text is none',
      undefined,
      gitea({ adminPassword: { a: 1 } }),
      { kind: 'waits', message: 'Gitea gitea/main has no .status.adminPassword yet' },
    ],
  ])('%s', (_, data, object, expected) => expect(nextFill(secret(WISH, data), request, object)).toEqual(expected));

  it('what another Secret stores is copied as it is', () => {
    const from = readFillRequest(
      secret('{object: {kind: Secret, name: other}, keys: {a: ".data.x", b: ".data.list[0]"}}'),
    );
    expect(from?.source).toEqual({ group: '', kind: 'Secret', namespace: 'ml', name: 'other' });
    expect(
      from &&
        nextFill(secret(WISH), from, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'other' },
          data: { x: 'eA==', list: ['eQ=='] },
        }),
    ).toMatchObject({ data: { a: 'eA==', b: 'eQ==' } });
  });

  it.each([
    '',
    'x',
    '{object: {kind: Gitea}, keys: {a: .b}}',
    '{object: {kind: Gitea, name: a}, keys: {a: b}}',
    '{object: {kind: Gitea, name: a}, keys: {"../a": .b}}',
    '{object: {kind: Gitea, name: a}, keys: {}}',
    '{object: {kind: Gitea, name: a}, keys: {a: ".b; rm"}}',
    '{',
  ])('an annotation %j is rejected with a reason', (text) => {
    expect(() => readFillRequest(secret(text))).toThrow(/fill-from/);
  });

  it.each<[string, string, boolean]>([
    ['without a list', '', false],
    ['by its list', ALLOWED, true],
    ['of another namespace', ALLOWED.replace('[ml, argocd]', '[argocd]'), false],
    ['of another object', ALLOWED.replace('name: "*"', 'name: second'), false],
    ['of a field that is not named', ALLOWED.replace('.status.adminPassword', '.status.other'), false],
    ['of another kind', ALLOWED.replace('kind: Gitea', 'kind: Secret'), false],
    ['into Secrets of other names', ALLOWED.replace('[ml, argocd]', '[ml], names: [other]'), false],
    [
      'by two entries together',
      `${ALLOWED.replace(', .status.adminPassword', '')}\n${ALLOWED.replace('.spec.giteaAdminUser, ', '')}`,
      true,
    ],
  ])('%s', (_, text, isAllowed) =>
    expect(findFillViolation(request, secret(WISH), rules(text)) === undefined).toBe(isAllowed),
  );

  it('an invalid list allows nothing and says what is wrong', () => {
    for (const text of [
      'x',
      '- {}',
      '- {from: {kind: A, namespace: b, name: c}, fields: [], to: {namespaces: [a]}}',
      '- {from: {kind: A, namespace: b}, fields: [.a], to: {namespaces: [a]}}',
    ]) {
      const { fillRules, problems } = readSettings({
        cm: new Map(),
        rbac: new Map(),
        cmdParams: new Map([['argosy.fill-from', text]]),
        environment: {},
      });
      expect([fillRules, problems.map(({ key }) => key)], text).toEqual([[], ['argosy.fill-from']]);
    }
  });
});
