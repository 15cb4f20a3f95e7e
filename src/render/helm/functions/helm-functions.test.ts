import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asValues } from '../objects/values-type.js';
import { templateFault } from '../output/template-failure.js';
import { withoutNoValue } from '../template/execute/run.js';
import { TemplateError } from '../template/template-error.js';
import { TemplateSet } from '../template/template-set.js';
import type { GoObject } from '../template/value/go-value.js';
import { bcrypt } from './crypto/bcrypt.js';
import { HELM_FUNCTIONS } from './helm-functions.js';
import type { FunctionHost } from './host.js';

/** What Helm's own engine answered, version in the file's name. */
interface RecordedCase {
  readonly template: string;
  readonly values?: GoObject;
  readonly output?: string;
  readonly error?: string;
}

function load(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`cases/${name}`, import.meta.url), 'utf8'));
}

const CALLS = load('calls-helm-4.2.1.json') as RecordedCase[];
const VALUES = load('values-helm-4.2.1.json') as RecordedCase[];
const SHARED = load('values-of-calls.json') as GoObject;

/** Bytes that look random and are the same each time. */
function hostOf(seed: number): FunctionHost {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return {
    now: () => 1_790_000_000_123_456_789n,
    random: (count) => Uint8Array.from({ length: count }, next),
    zone: 'UTC',
  };
}

const NAME = 'c/templates/t';

function render(text: string, values: GoObject = {}, host = hostOf(1)): string {
  const data: GoObject = {
    Values: asValues(structuredClone<GoObject>(values)),
    Release: { Name: 'r', Namespace: 'n' },
  };
  return withoutNoValue(TemplateSet.parse([{ name: NAME, text }], HELM_FUNCTIONS).execute(NAME, data, { host }));
}

function answer(text: string, values?: GoObject): Pick<RecordedCase, 'output' | 'error'> {
  try {
    return { output: render(text, values) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: templateFault(error, NAME, () => undefined).message };
  }
}

describe('functions of Helm', () => {
  it("are those of sprig without the environment, and Helm's own", () => {
    expect(Object.keys(HELM_FUNCTIONS)).toHaveLength(222);
    expect(HELM_FUNCTIONS).not.toHaveProperty('env');
    expect(HELM_FUNCTIONS).not.toHaveProperty('expandenv');
  });

  it(`answer ${CALLS.length} calls with odd arguments as Helm does`, () => {
    const differences = CALLS.filter(({ template, output, error }) => {
      const ours = answer(template, SHARED);
      return ours.output !== output || ours.error !== error;
    });
    expect(differences).toEqual([]);
  });

  it(`answer ${VALUES.length} templates over random values as Helm does`, () => {
    for (const { template, values, output, error } of VALUES)
      expect({ template, ...answer(template, values) }).toEqual({
        template,
        ...(error === undefined ? { output } : { error }),
      });
  });
});

describe('randomness and clock', () => {
  it('come from the host, so that a render can be repeated', () => {
    const text =
      '{{ randAlphaNum 20 }} {{ uuidv4 }} {{ randBytes 9 }} {{ shuffle "abcdef" }} {{ randInt 1 100 }} {{ ' +
      'now | date "2006-01-02T15:04:05.000" }} {{ ago 1789999000 }} {{ (genCA "x" 9).Cert }}';
    expect(render(text, {}, hostOf(7))).toBe(render(text, {}, hostOf(7)));
    expect(render('{{ randAlphaNum 20 }}', {}, hostOf(7))).not.toBe(render('{{ randAlphaNum 20 }}', {}, hostOf(8)));
    expect(render('{{ now | date "2006-01-02T15:04:05.000" }} {{ ago 1789999000 }} {{ now }}')).toBe(
      '2026-09-21T14:13:20.123 16m40s 2026-09-21 14:13:20.123456789 +0000 UTC m=+0.000000001',
    );
  });

  it('give certificates that verify', () => {
    const made = JSON.parse(
      render(
        '{{ $ca := genCA "ca" 10 }}{{ dict "ca" $ca "leaf" (genSignedCert "svc" (list "10.0.0.1" "::1") ' +
          '(list "svc.ns" "é" | initial) 3 $ca) | toJson }}',
      ),
    ) as Record<'ca' | 'leaf', { Cert: string; Key: string }>;
    const [ca, leaf] = [new X509Certificate(made.ca.Cert), new X509Certificate(made.leaf.Cert)];
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(ca.ca).toBe(true);
    expect(leaf.subjectAltName).toBe('DNS:svc.ns, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(leaf.validTo).toBe('Sep 24 14:13:20 2026 GMT');
  });

  it.each([
    ['ecdsa', 'EC PRIVATE KEY'],
    ['ed25519', 'PRIVATE KEY'],
  ])('give %s keys that sign', (kind, label) => {
    const text = `{{ $key := genPrivateKey "${kind}" }}{{ (genCAWithKey "x" 1 $key).Cert }}---{{ $key }}`;
    const [cert = '', key = ''] = render(text).split('---\n---');
    expect(key).toContain(`BEGIN ${label}`);
    const parsed = new X509Certificate(`${cert}---\n`);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
  });

  it('give passwords that bcrypt accepts', () => {
    // golang.org/x/crypto/bcrypt accepts it.
    expect(bcrypt('secret', Buffer.from('0123456789abcdef'))).toBe(
      '$2a$10$KBCwKxOzLha2MUDgW0PjXe5iC0KgerkTIWLGUoONajjj98vdFiyt2',
    );
    expect(render('{{ htpasswd "u:" "p" }} {{ htpasswd "u" "p" }}')).toMatch(
      /^invalid username: u: u:\$2a\$10\$[./A-Za-z0-9]{53}$/,
    );
    // Never a hash that fits no password: docs/render-differences.md names it.
    expect(() => render('{{ htpasswd "u" ("/w==" | b64dec) }}')).toThrow('bcrypt: the password is not UTF-8');
  });

  it('give back what was encrypted', () => {
    expect(render('{{ encryptAES "key" "text é" | decryptAES "key" }}')).toBe('text é');
  });
});

describe('hostile arguments', () => {
  it.each([
    '{{ repeat 1000000000 "x" }}',
    '{{ until 1000000000 }}',
    '{{ randAlphaNum 1000000000 }}',
    '{{ indent 1000000000 "x" }}',
    '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ deepCopy $d }}',
    '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ toToml $d }}',
    '{{ seq 1 1000000000 }}',
    '{{ range until 1000 }}{{ genPrivateKey "ed25519" }}{{ end }}',
  ])('%s ends', (text) => {
    expect(() => render(text)).toThrow(TemplateError);
  });

  it('do not reach the prototype', () => {
    expect(
      render(
        '{{ $d := dict "__proto__" 1 "constructor" 2 }}{{ toJson $d }} {{ get $d "toString" }}|{{ hasKey $d ' +
          '"valueOf" }} {{ dig "a" "b" (dict) }}',
      ),
    ).toBe('{"__proto__":1,"constructor":2} |false b');
  });
});
