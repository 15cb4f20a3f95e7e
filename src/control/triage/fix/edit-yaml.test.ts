import { expect, it } from 'vitest';
import { editYaml, openYaml, type Change, type PathSegment } from './edit-yaml.js';

function edited(text: string, path: readonly PathSegment[], change: Change): string | undefined {
  const [document] = openYaml(text) ?? [];
  return document === undefined ? undefined : editYaml(text, document, path, change)?.text;
}

const GIVEN = `# of the team
image:
  tag: "1.2"   # keep in step with CI
  name: cart
tolerations: []  # none
nodeSelector: {}
list:
  - a
  - b   # last

ports:
- name: http
  port: 80
`;

it('changes one place and leaves every other byte', () => {
  expect(edited(GIVEN, ['image', 'tag'], { kind: 'set', value: '1.3' })).toBe(GIVEN.replace('"1.2"', '"1.3"'));
  expect(edited(GIVEN, ['image', 'name'], { kind: 'set', value: 'web' })).toBe(GIVEN.replace('cart', 'web'));
  expect(edited(GIVEN, ['ports', 0, 'port'], { kind: 'set', value: 8080 })).toBe(GIVEN.replace('80', '8080'));
  expect(edited(GIVEN, ['tolerations'], { kind: 'remove' })).toBe(GIVEN.replace('tolerations: []  # none\n', ''));
  expect(edited(GIVEN, ['ports', 0, 'name'], { kind: 'remove' })).toBe(GIVEN.replace('name: http\n  port', 'port'));
  expect(edited(GIVEN, ['list'], { kind: 'add', value: 'c' })).toBe(
    GIVEN.replace('- b   # last\n', '- b   # last\n  - c\n'),
  );
  expect(edited(GIVEN, ['tolerations'], { kind: 'add', value: { key: 'x' } })).toBe(
    GIVEN.replace('[]', '[ { key: x } ]'),
  );
  expect(edited(GIVEN, ['image', 'pull', 'policy'], { kind: 'set', value: 'Always' })).toBe(
    GIVEN.replace('  name: cart\n', '  name: cart\n  pull:\n    policy: Always\n'),
  );
});

it('does nothing where nothing can be done', () => {
  expect(edited(GIVEN, ['absent'], { kind: 'remove' })).toBeUndefined();
  expect(edited(GIVEN, ['image', 'tag', 'x'], { kind: 'set', value: 1 })).toBeUndefined();
  expect(openYaml('a: {{ .Values.b }}')).toBeUndefined();
  expect(openYaml('a: [')).toBeUndefined();
});

it('edits maps and lists on one line', () => {
  expect(edited('a: {b: 1, c: 2}\n', ['a', 'b'], { kind: 'remove' })).toBe('a: {c: 2}\n');
  expect(edited('a: {b: 1, c: 2}\n', ['a', 'c'], { kind: 'remove' })).toBe('a: {b: 1}\n');
  expect(edited('a: {b: 1}\n', ['a', 'd'], { kind: 'set', value: 'x' })).toBe('a: {b: 1, d: x}\n');
  expect(edited('a: [1, 2]\n', ['a'], { kind: 'add', value: 3 })).toBe('a: [1, 2, 3]\n');
});
