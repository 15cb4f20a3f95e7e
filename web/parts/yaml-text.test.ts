import { expect, it } from 'vitest';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { yamlText } from './yaml-text';

const SAMPLES: readonly unknown[] = [
  {
    a: 1,
    b: [],
    c: {},
    d: null,
    e: true,
    f: 'text',
    g: 'true',
    h: '1e3',
    i: '',
    j: 'a: b',
    k: '# no comment',
    l: ' lead',
    m: '- dash',
    n: '*star',
    o: '0x10',
  },
  {
    list: [{ name: 'a', ports: [80, 443] }, ['nested', ['deeper']], 'two\nlines', 'ends\n'],
    script: 'set -e\n\necho done\n',
    last: 'one\ntwo',
  },
  {
    'odd key: x': { '1': 'number key', true: 'word' },
    url: 'https://example.com/a?b=c#d',
    time: '2026-01-01T00:00:00Z',
    image: 'registry:5000/a/b:1.2',
    'app.kubernetes.io/name': 'x',
  },
  [],
  {},
  'plain',
  [1, 'no', null],
];

it('round-trips', () => {
  for (const sample of SAMPLES) expect(readOneYaml(yamlText(sample), { dialect: 'kubernetes' })).toEqual(sample);
});

it('quotes only where needed', () => {
  expect(yamlText({ kind: 'Deployment', flag: 'yes', path: '/var/run', list: ['a'] })).toBe(
    'kind: Deployment\nflag: "yes"\npath: /var/run\nlist:\n- a\n',
  );
});
