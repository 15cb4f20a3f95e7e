// Forbids a local copy of what the model has once: field access, names of objects, the sources of an Application,
// references to kinds. A second one soon gives another answer.
import { readSourceFiles, type SourceFile } from '../house/source-files.js';

/** Names that no other file declares at its top, by the file that has them and the door to import them from. */
const FUNCTIONS: Readonly<Record<string, { readonly door: string; readonly only?: readonly string[] }>> = {
  'src/model/json/value-at.ts': { door: 'src/model/json' },
  'src/model/argo/sources.ts': { door: 'src/model/argo' },
  'src/model/kubernetes/object.ts': { door: 'src/model/kubernetes', only: ['nameOf', 'describeKey'] },
};
/** Triage cuts texts of strangers to a length before its regular expressions read them. */
const ALLOWED = new Set(['src/triage/json/json-at.ts textAt', 'src/triage/json/json-at.ts textsAt']);
const DECLARATION = /^(export )?(?:async )?(?:function|const) (\w+)/gm;

const REFERENCES = 'src/model/resources/resource-refs.ts';
/** A whole reference to a kind, or another one with its kind and plural replaced. */
const REFERENCE = /\{[^{}]*\bkind: '(\w+)',\s+plural: '(\w+)',?[^{}]*\}/g;
/** Where a literal is what discovery answers, or a table of the server itself. */
const OWN_TABLES = /^(?:src\/apiserver\/|(?:src|contracts)\/cluster\/.*\.test\.ts$|scripts\/prove\/apiserver-kill\/)/;

const files = readSourceFiles('.ts', '.tsx');

const doorOf = new Map(
  files.flatMap(({ path, text }) => {
    const { door, only } = FUNCTIONS[path] ?? {};
    if (door === undefined) return [];
    return [...text.matchAll(DECLARATION)]
      .filter(([, exported, name = '']) => exported !== undefined && only?.includes(name) !== false)
      .map(([, , name = '']) => [name, door] as const);
  }),
);
const references = new Set(
  [...(files.find(({ path }) => path === REFERENCES)?.text ?? '').matchAll(REFERENCE)].map(
    ([, kind, plural]) => `${kind} ${plural}`,
  ),
);

function copiedFunctions({ path, text }: SourceFile): string[] {
  if (path in FUNCTIONS) return [];
  return [...text.matchAll(DECLARATION)].flatMap(({ 2: name = '', index }) => {
    const door = doorOf.get(name);
    if (door === undefined || ALLOWED.has(`${path} ${name}`)) return [];
    return [`${path}:${lineOf(text, index)}: ${name} is in ${door}: import it, or use another name`];
  });
}

function copiedReferences({ path, text }: SourceFile): string[] {
  if (path === REFERENCES || OWN_TABLES.test(path)) return [];
  return [...text.matchAll(REFERENCE)].flatMap(({ 0: literal, 1: kind = '', 2: plural = '', index }) =>
    references.has(`${kind} ${plural}`) && /\.\.\.|namespaced/.test(literal)
      ? [`${path}:${lineOf(text, index)}: the reference to ${kind} is in src/model/resources: import it`]
      : [],
  );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

const copies = [...files.flatMap(copiedFunctions), ...files.flatMap(copiedReferences)];
for (const copy of copies) process.stderr.write(`${copy}\n`);
process.exitCode = copies.length === 0 && doorOf.size > 0 && references.size > 0 ? 0 : 1;
