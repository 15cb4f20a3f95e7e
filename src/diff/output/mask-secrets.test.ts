import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { compare, compileRules, LAST_APPLIED, maskDifferences, maskSecrets } from '../index.js';

const CANARY = 'c4n4ry';
const ENCODED = Buffer.from(CANARY).toString('base64');

function secret(fields: JsonObject, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'shop', annotations }, ...fields };
}

/** Everything under which the canary could slip through. */
function leaks(value: unknown): boolean {
  const text = JSON.stringify(value);
  return [CANARY, ENCODED, Buffer.from(CANARY).toString('hex')].some((form) => text.includes(form));
}

describe('masked secrets', () => {
  it('every distinct value of a key gets four more signs, and equal ones the same', () => {
    const [target, live, predicted] = maskSecrets([
      secret({ data: { a: 'MQ==', b: 'eA==' } }),
      secret({ data: { a: 'Mg==', b: 'eA==' } }),
      secret({ data: { a: 'MQ==' } }),
    ]);
    expect(target?.data).toEqual({ a: '++++++++', b: '++++++++' });
    expect(live?.data).toEqual({ a: '++++++++++++', b: '++++++++' });
    expect(predicted?.data).toEqual({ a: '++++++++' });
  });

  it('stringData is masked as the data it becomes', () => {
    const [target, live] = maskSecrets([secret({ stringData: { a: CANARY } }), secret({ data: { a: ENCODED } })]);
    expect(target?.data).toEqual(live?.data);
    expect(target?.stringData).toBeUndefined();
  });

  it('the last applied configuration is rewritten, and masked whole where it cannot be read', () => {
    const applied = JSON.stringify(secret({ data: { a: ENCODED } }));
    const [one, two, three] = maskSecrets(
      [
        secret({ data: { a: ENCODED } }, { [LAST_APPLIED]: applied }),
        secret({}, { [LAST_APPLIED]: `{"data": ${CANARY}` }),
        secret({}, { [LAST_APPLIED]: applied }),
      ],
      { annotations: ['other'] },
    );
    expect(leaks([one, two, three])).toBe(false);
    expect((JSON.parse(one?.metadata.annotations?.[LAST_APPLIED] ?? '') as JsonObject).data).toEqual({ a: '++++++++' });
    expect(two?.metadata.annotations?.[LAST_APPLIED]).toBe('++++++++');
  });

  it('annotations that the settings name are masked', () => {
    const [masked] = maskSecrets([secret({}, { token: CANARY, plain: 'x' })], { annotations: ['token'] });
    expect(masked?.metadata.annotations).toEqual({ token: '++++++++', plain: 'x' });
  });

  it.each<[string, JsonObject]>([
    ['data as text', { data: CANARY }],
    ['data as list', { data: [CANARY] }],
    ['a number in data', { data: { a: 1, b: CANARY } }],
    ['stringData as text', { stringData: CANARY }],
    ['an object in stringData', { stringData: { a: { b: CANARY } } }],
    ['both of the wrong kind', { data: CANARY, stringData: { a: CANARY } }],
    ['a list in data', { data: { a: [CANARY, ENCODED] } }],
  ])('an invalid Secret leaks nothing: %s', (_name, fields) => {
    expect(leaks(maskSecrets([secret(fields)]))).toBe(false);
  });

  it('secrets inside a list are masked, other kinds are not touched', () => {
    const list: KubeObject = {
      apiVersion: 'v1',
      kind: 'List',
      metadata: {},
      items: [
        secret({ data: { a: ENCODED } }),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: 'open' } },
      ],
    };
    const masked = maskSecrets([list])[0];
    expect(leaks(masked)).toBe(false);
    expect(JSON.stringify(masked)).toContain('open');
    const other: KubeObject = { apiVersion: 'example.org/v1', kind: 'Secret', metadata: {}, data: { a: 'open' } };
    expect(maskSecrets([other])[0]).toEqual(other);
  });

  it('differences are masked like the objects they come from, whatever their pointer', () => {
    const [target, live] = [secret({ stringData: { a: CANARY } }), secret({ data: { a: 'Mg==', b: ENCODED } })];
    const differences = maskDifferences(compare(target, live, compileRules()), [target, live]);
    expect(differences).toMatchObject([{ pointer: '/data/a', target: '++++++++', live: '++++++++++++' }]);
    const whole = maskDifferences(
      [
        { pointer: '/data', kind: 'extra', live: { a: ENCODED }, owner: '', since: '' },
        { pointer: '', kind: 'extra', live, owner: '', since: '' },
        {
          pointer: '/metadata',
          kind: 'extra',
          live: { annotations: { [LAST_APPLIED]: CANARY } },
          owner: '',
          since: '',
        },
      ],
      [target, live],
    );
    expect(leaks(whole)).toBe(false);
  });

  it('the given objects stay as they are', () => {
    const given = secret(
      { stringData: { a: CANARY } },
      { [LAST_APPLIED]: JSON.stringify(secret({ stringData: { a: CANARY } })) },
    );
    const before = JSON.stringify(given);
    expect(leaks(maskSecrets([given]))).toBe(false);
    expect(JSON.stringify(given)).toBe(before);
  });
});
