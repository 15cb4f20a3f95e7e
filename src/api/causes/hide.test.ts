import { describe, expect, it } from 'vitest';
import type { CauseView } from '../../model/api/index.js';
import { hideForeign, titleFor, type Reader } from './hide.js';

const READER: Reader = {
  maySee: ({ namespace }) => namespace !== 'bank',
  maySeeApplication: (name) => name !== 'bank-app',
  hiddenNamespaces: new Set(['bank']),
};
const key = (namespace: string, name: string): CauseView['objects'][number] => ({
  group: '',
  kind: 'Secret',
  namespace,
  name,
});
const FIX: CauseView['fix'] = {
  where: 'Secret shop/key',
  say: 'create Secret shop/key, as bank/vault was',
  commands: ['kubectl get secret key -n shop', 'kubectl get secret vault -n bank'],
  risk: '',
  reversible: true,
  verify: 'curl http://ledger.bank.svc/health',
  steps: [{ say: 'look at ledger', command: 'kubectl logs -n bank deploy/ledger', check: '' }],
  snippet: 'name: key',
};
const CAUSE: CauseView = {
  id: 'a',
  name: 'P1-1',
  severity: 'P1',
  rule: 'B01',
  kind: 'fault',
  confidence: 'sure',
  impact: 'down',
  title: 'Secret shop/key is absent',
  objects: [key('shop', 'key')],
  evidence: [
    { of: 'Secret shop/key', path: '', value: 'absent' },
    { of: 'Pod bank/ledger', path: 'status', value: 'Pending' },
  ],
  reach: { count: 2, environments: ['prod'], names: ['shop-app', 'bank-app'] },
  heals: 2,
  alone: 2,
  chain: [
    { object: 'Pod shop/web', rule: 'A01', says: 'Pod shop/web waits, as ledger does', via: '', grade: '' },
    { object: 'Pod bank/ledger', rule: 'A01', says: 'Pod bank/ledger waits', via: 'spec', grade: 'A' },
  ],
  consequences: [{ object: 'Service bank/ledger', rule: 'C01', says: 'no endpoints' }],
  unverified: ['events of namespace bank'],
  since: '',
  fix: FIX,
  next: [{ cause: '', says: 'Pod bank/other waits', pods: 1 }],
  patches: [],
  proof: [],
};

describe('a cause, for somebody who may not see all of it', () => {
  it('keeps what is visible, and no name of the rest', () => {
    const shown = hideForeign(CAUSE, READER);
    expect(JSON.stringify(shown)).not.toMatch(/bank|ledger/);
    expect(shown).toMatchObject({
      title: 'Secret shop/key is absent',
      evidence: [{ of: 'Secret shop/key', value: 'absent' }],
      reach: { count: 1, environments: [], names: ['shop-app'] },
      heals: 1,
      chain: [{ object: 'Pod shop/web', says: 'Pod shop/web waits, as (hidden) does' }],
      consequences: [],
      unverified: ['events of namespace (hidden)'],
      fix: {
        commands: ['kubectl get secret key -n shop', 'kubectl get secret vault -n (hidden)'],
        verify: 'curl http://(hidden)',
      },
    });
  });

  it('is hidden where nothing that it blames is visible', () => {
    const foreign = { ...CAUSE, objects: [key('bank', 'vault')], title: 'Secret bank/vault is absent' };
    expect([hideForeign(foreign, READER), titleFor(foreign, READER)]).toEqual([undefined, undefined]);
  });

  it('has no fix that was made for objects of others too', () => {
    const both = {
      ...CAUSE,
      objects: [key('shop', 'key'), key('bank', 'vault')],
      title: '2 Secrets are absent: vault',
    };
    expect(hideForeign(both, READER)).toMatchObject({
      objects: [key('shop', 'key')],
      fix: null,
      patches: [],
      proof: [],
    });
    expect(titleFor(both, READER)).toBe('2 Secrets are absent: (hidden)');
  });

  it('is the same for somebody who may see all of it', () => {
    const all: Reader = { maySee: () => true, maySeeApplication: () => true, hiddenNamespaces: new Set() };
    expect(hideForeign(CAUSE, all)).toEqual(CAUSE);
  });
});
