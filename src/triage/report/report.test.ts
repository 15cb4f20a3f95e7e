import { expect, it } from 'vitest';
import { createRuleSet } from '../rules/rule-set.js';
import { SnapshotBuilder } from '../read/snapshot-builder.js';
import { triage } from './triage.js';
import { toHtml } from './html.js';
import { toMarkdown } from './markdown.js';
import { toSarif } from './sarif.js';
import { toTerminal } from './terminal.js';

const HOSTILE = '\u001b[31mred\u001b]0;title\u0007 <script>alert(1)</script> | [link](javascript:x) `code` \u202egnp';

function report(): ReturnType<typeof triage> {
  const builder = new SnapshotBuilder();
  builder.add(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: HOSTILE, namespace: 'shop' },
      spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x' }] },
      status: {
        phase: 'Pending',
        containerStatuses: [
          { name: 'app', state: { waiting: { reason: 'ErrImagePull', message: `manifest unknown ${HOSTILE}` } } },
        ],
      },
    },
    'test',
  );
  builder.problem(HOSTILE);
  return triage(builder.build(0), { rules: createRuleSet, assess: () => undefined });
}

it('prints untrusted names and messages harmlessly', () => {
  const terminal = toTerminal(report());
  expect(terminal).toContain('E01');
  expect(terminal).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  const markdown = toMarkdown(report());
  // Text with a backtick is quoted with two of them.
  expect(markdown.replace(/`` .*? ``/g, '')).not.toMatch(/<script|[^\\]\]\(javascript/);
  expect(
    markdown
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .every(
        (line) =>
          line.replaceAll('\\|', '').split('|').length === 5 || line.replaceAll('\\|', '').split('|').length === 4,
      ),
  ).toBe(true);
});

it('writes SARIF with a stable fingerprint', () => {
  const [one, two] = [toSarif(report(), '1.0.0'), toSarif(report(), '1.0.0')];
  expect(one).toEqual(two);
  expect(one).toMatchObject({ version: '2.1.0', runs: [{ results: [{ ruleId: 'E01', level: 'error' }] }] });
});

it('makes a page on which untrusted content is inert', () => {
  const page = toHtml(report());
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(
    /<script|javascript:[^x]|\son[a-z]+=|<(?:img|iframe|link|object)\b|https?:|[\u0000-\u0008\u001b\u202e]/,
  );
  const [tags] = [new Set([...page.matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name))];
  expect(
    [...tags].filter(
      (name) =>
        ![
          'html',
          'head',
          'meta',
          'title',
          'style',
          'body',
          'h1',
          'h2',
          'h3',
          'table',
          'tr',
          'th',
          'td',
          'div',
          'svg',
          'defs',
          'marker',
          'path',
          'g',
          'rect',
          'text',
          'p',
          'b',
          'code',
          'pre',
          'ol',
          'ul',
          'li',
          'a',
          'details',
          'summary',
          'span',
        ].includes(name ?? ''),
    ),
  ).toEqual([]);
});
