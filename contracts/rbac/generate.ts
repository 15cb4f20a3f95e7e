import { Dice } from '../lua/generate/dice.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { AccessQuery, Question } from './question.js';

const USERS = ['admin', 'alice', 'bob', 'carol', 'ci', ''];
const GROUPS = ['team-a', 'team-b', 'ops', 'a@example.com', 'Admins', 'x:y', 'role:admin'];
const ROLES = ['role:readonly', 'role:admin', 'role:dev', 'role:ops', 'role:none'];
const PROJECTS = ['default', 'shop', 'bank', 'none'];
const PROJECT_ROLES = ['ci', 'view'];
const RESOURCES = [
  'applications',
  'applicationsets',
  'clusters',
  'projects',
  'repositories',
  'write-repositories',
  'certificates',
  'accounts',
  'gpgkeys',
  'logs',
  'exec',
  'extensions',
];
const ACTIONS = [
  'get',
  'create',
  'update',
  'delete',
  'sync',
  'override',
  'action/apps/Deployment/restart',
  'action//Pod/kill',
  'update/apps/Deployment/shop/web',
  'delete//Secret/shop/key',
  'invoke',
  'action',
];
const NAMES = ['web', 'api', 'web-prod', 'Web', 'a', '', 'web/x', 'é', 'web.prod'];
const GLOBS = [
  '*',
  '**',
  '*/*',
  'web*',
  '*-prod',
  'w?b',
  '[a-w]eb',
  '[!w]*',
  '{web,api}',
  '{web*,*api}',
  '\\*',
  'web',
  '*e*',
  '[w',
  '{a',
  'w[ea]b',
  '',
  '*.prod',
  '{*,b}',
  '?',
  '*b*p*',
  '[]',
  'a\\',
  '{}',
  '{,a}',
  '[a-]',
  '[!a-z]',
];
const REGEXES = [
  '.*',
  '^web$',
  'web|api',
  '^(get|sync)$',
  '[a-z]+',
  '(',
  'w.b',
  '^$',
  '',
  '\\d+',
  '[^/]+/[^/]+',
  '(?i)WEB',
  'a{2,1}',
  '\\bweb\\b',
  '.*/web',
  '^\\w+$',
  '*',
  '(?=a)',
];

/** A question by chance. Most of it has sense, some of it has none. */
export function generateQuestion(seed: number): Question {
  const dice = new Dice(seed);
  const isRegex = dice.chance(0.3);
  const projects = PROJECTS.filter((name) => name !== 'none' && dice.chance(0.6)).map((name) =>
    project(dice, name, isRegex),
  );
  const data: Record<string, string> = {
    ...(dice.chance(0.95) ? { 'policy.csv': policy(dice, isRegex, dice.between(0, 14)) } : {}),
    ...(dice.chance(0.3) ? { 'policy.b.csv': policy(dice, isRegex, 3) } : {}),
    ...(dice.chance(0.2) ? { 'policy.a.csv': policy(dice, isRegex, 3) } : {}),
    ...(dice.chance(0.4) ? { 'policy.default': dice.pick([...ROLES, 'alice', '']) } : {}),
    ...matchMode(dice, isRegex),
    ...(dice.chance(0.3) ? { scopes: dice.pick(['[groups]', '[email]', '[groups, email]', '', '[]', '[roles]']) } : {}),
  };
  return { data, projects, asks: Array.from({ length: 25 }, () => randomQuery(dice)) };
}

function matchMode(dice: Dice, isRegex: boolean): Record<string, string> {
  if (isRegex) return { 'policy.matchMode': 'regex' };
  return dice.chance(0.2) ? { 'policy.matchMode': dice.pick(['glob', 'Regex', '']) } : {};
}

function pattern(dice: Dice, isRegex: boolean, words: readonly string[]): string {
  if (dice.chance(0.35)) return isRegex ? '.*' : '*';
  return dice.chance(0.6) ? dice.pick(words) : dice.pick(isRegex ? REGEXES : GLOBS);
}

function objectPattern(dice: Dice, isRegex: boolean): string {
  if (dice.chance(0.25)) return isRegex ? '.*' : '*/*';
  if (dice.chance(0.3)) return dice.pick(isRegex ? REGEXES : GLOBS);
  const part = (words: readonly string[]): string =>
    dice.chance(0.5) ? dice.pick(words) : dice.pick(isRegex ? ['.*', '[a-z]+'] : ['*', 'w*', '{web,api}', '[!a]*']);
  return `${part(PROJECTS)}/${part(NAMES)}`;
}

function quoted(dice: Dice, text: string): string {
  return /[",]/.test(text) || dice.chance(0.1) ? `"${text.replaceAll('"', '""')}"` : text;
}

function effectOf(dice: Dice): string {
  if (dice.chance(0.72)) return 'allow';
  return dice.chance(0.8) ? 'deny' : dice.pick(['Allow', '', 'no']);
}

function rule(dice: Dice, isRegex: boolean, subject: string): string {
  const effect = effectOf(dice);
  const parts = [
    subject,
    pattern(dice, isRegex, RESOURCES),
    pattern(dice, isRegex, ACTIONS),
    objectPattern(dice, isRegex),
    effect,
  ].map((part) => quoted(dice, part));
  return `p${dice.pick([', ', ',', ',  ', ',\t'])}${parts.join(dice.chance(0.95) ? ', ' : ',')}`;
}

function subjectName(dice: Dice): string {
  return dice.pick([...USERS, ...GROUPS, ...ROLES, ...ROLES, 'proj:shop:ci', 'proj:bank:view']);
}

function policy(dice: Dice, isRegex: boolean, lines: number): string {
  return Array.from({ length: lines }, () => {
    if (dice.chance(0.003))
      return dice.pick([
        'p, a',
        'g, a',
        'x, a, b',
        'p, "a, b',
        'g, a, b, c',
        'p2, a, b, c, d, e',
        ', a',
        'p, a"b, c, d, e, allow',
      ]);
    if (dice.chance(0.06)) return dice.pick(['', '# a note', '   ', 'r, a, b', '\u00a0', 'e']);
    return dice.chance(0.4)
      ? `g, ${quoted(dice, subjectName(dice))}, ${dice.pick([...ROLES, ...USERS, 'proj:shop:ci'])}`
      : rule(dice, isRegex, subjectName(dice));
  })
    .map((line) => (dice.chance(0.1) ? `  ${line} ` : line))
    .join(dice.chance(0.9) ? '\n' : '\r\n');
}

function project(dice: Dice, name: string, isRegex: boolean): KubeObject {
  const roles = PROJECT_ROLES.filter(() => dice.chance(0.7)).map((role) => ({
    name: role,
    groups: GROUPS.filter(() => dice.chance(0.25)),
    policies: Array.from({ length: dice.between(0, 3) }, () =>
      dice.chance(0.02)
        ? 'p, broken'
        : rule(dice, isRegex, dice.chance(0.85) ? `proj:${name}:${role}` : subjectName(dice)),
    ),
  }));
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec: { roles } };
}

function claims(dice: Dice): JsonObject | null {
  if (dice.chance(0.05)) return null;
  const groups = GROUPS.filter(() => dice.chance(0.25));
  return {
    ...(dice.chance(0.95)
      ? {
          sub: dice.pick([
            ...USERS,
            ...USERS,
            'proj:shop:ci',
            'proj:bank:view',
            'proj:shop:none',
            'proj:shop',
            'role:dev',
          ]),
        }
      : {}),
    ...(dice.chance(0.6)
      ? {
          groups: dice.chance(0.9) ? groups : dice.pick<JsonObject['groups']>(['ops', 7, null, [1, 'ops'], { a: 'b' }]),
        }
      : {}),
    ...(dice.chance(0.2) ? { email: 'a@example.com' } : {}),
    ...(dice.chance(0.08)
      ? {
          federated_claims: dice.pick<JsonObject['x']>([
            { user_id: 'alice' },
            { user_id: '' },
            'alice',
            { user_id: 7 },
            null,
          ]),
        }
      : {}),
  };
}

function objectName(dice: Dice, named: string): string {
  if (dice.chance(0.8)) return named;
  return dice.pick(['shop/team/web', '*', '', 'https://kubernetes.default.svc', 'web', 'shop/']);
}

function randomQuery(dice: Dice): AccessQuery {
  const resource = dice.pick([...RESOURCES, 'applications', 'applications', 'applications']);
  const named = `${dice.pick(PROJECTS)}/${dice.pick(NAMES)}`;
  const object = resource === 'projects' ? dice.pick(PROJECTS) : objectName(dice, named);
  return { claims: claims(dice), resource, action: dice.pick(ACTIONS), object };
}
