import { describe, expect, it } from 'vitest';
import { messageOf, runaways } from './runaway-templates.js';

describe('H1: messages reach nothing outside', () => {
  it.each(['env "HOME"', 'expandenv "$HOME"', 'getHostByName "example.com"'])('%s is not there', (call) => {
    const name = call.split(' ')[0] ?? '';
    expect(messageOf(`{{ ${call} }}`)).toContain(`function "${name}" not defined`);
    // A text that becomes a template knows no more.
    expect(messageOf(`{{ tpl ${JSON.stringify(`{{ ${call} }}`)} . }}`)).toContain(`function "${name}" not defined`);
  });

  it('no member of a value leads to the program', () => {
    for (const path of [
      '.constructor',
      '.app.constructor.constructor',
      '.__proto__',
      '.app.metadata.name.constructor',
      '.process',
    ])
      expect(messageOf(`{{ ${path} }}`)).toMatch(/^(<no value>|TEMPLATE_FAILED: )/);
    expect(messageOf('{{ lookup "v1" "Secret" "argocd" "argocd-secret" }}')).toBe('map[]');
  });
});

/** One of each sort; the proof render-safety has all of them, with their time. */
const SORTS = [
  'a template that includes itself',
  'two templates that call each other',
  'a loop in a loop in a loop',
  'a list of two thousand million',
  'a gigabyte in pieces',
  'a text that doubles',
  'a map that holds itself',
  'a wide format',
];

describe('H4: messages without end', () => {
  it.each(SORTS)('%s', (name) => {
    expect(messageOf(runaways.find((one) => one.name === name)?.text ?? '')).toMatch(
      /^(TEMPLATE_FAILED|RENDER_LIMIT): /,
    );
    expect(messageOf('{{ .app.metadata.name }}')).toBe('shop');
  });
});
