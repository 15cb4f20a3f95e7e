import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { TextTemplate } from './text-template.js';

const host = { now: () => 0n, random: (count: number) => new Uint8Array(count), zone: 'UTC' };
const data = {
  app: { metadata: { name: 'shop' }, status: { retries: 3, share: 1.5, conditions: [{ type: 'A' }, { type: 'B' }] } },
  serviceType: 'slack',
};
const fill = (text: string): string => TextTemplate.parse('message', text).fill(data, host);

describe('a template on its own', () => {
  it.each([
    ['{{.app.metadata.name}} {{.app.status.retries}} {{.app.status.share}}', 'shop 3 1.5'],
    ['{{if eq .serviceType "slack"}}:ok:{{end}}', ':ok:'],
    ['{{range $index, $c := .app.status.conditions}}{{if $index}}, {{end}}{{$c.type}}{{end}}', 'A, B'],
    ['{{.app.nothing}}', '<no value>'],
    ['{{ .app.metadata | toJson | b64enc }}', Buffer.from('{"name":"shop"}').toString('base64')],
    ['{{.app.nothing.deeper}}', '<no value>'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(fill(text)).toBe(expected);
  });

  it('that is wrong or has no end is a fault', () => {
    for (const text of [
      '{{',
      '{{ nothing }}',
      '{{ fail "no" }}',
      '{{range until 1000000}}{{range until 1000000}}x{{end}}{{end}}',
    ])
      expect(() => fill(text)).toThrow(Fault);
  });
});
