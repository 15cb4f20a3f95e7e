import type { Identifier } from 'luaparse';
import type { Analysis } from './analysis.js';
import { closestWord } from '../closest-word.js';
import { OBJECT } from './read-field.js';
import type { State } from './state.js';
import { unknown, type Value } from './value.js';

/** Functions and values that every script has. */
const BASE = [
  'assert',
  'collectgarbage',
  'error',
  'getfenv',
  'getmetatable',
  'ipairs',
  'load',
  'loadstring',
  'module',
  'newproxy',
  'next',
  'pairs',
  'pcall',
  'print',
  'rawequal',
  'rawget',
  'rawset',
  'require',
  'select',
  'setfenv',
  'setmetatable',
  'tonumber',
  'tostring',
  'type',
  'unpack',
  'xpcall',
  '_G',
  '_VERSION',
  '_printregs',
  'table',
  'package',
  'actionParams',
];
const OPEN_LIBRARIES = ['string', 'math', 'coroutine', 'debug', 'channel'];
const MACHINE = ['io', 'os', 'dofile', 'loadfile'];

/** The cell of a global variable. */
export function globalCell(name: string): string {
  return `G:${name}`;
}

/** A global: one the script set, the object, a library, or a name that nobody defined. */
export function readGlobal(analysis: Analysis, node: Identifier, state: State): Value {
  const { name } = node;
  const cell = state.cells.get(globalCell(name));
  if (cell !== undefined) return cell;
  if (name === 'obj') {
    const { schema } = analysis.settings;
    return { kind: 'place', place: schema === undefined ? OBJECT : { ...OBJECT, schema } };
  }
  if (BASE.includes(name)) return { kind: 'builtin', name };
  if (analysis.assignedGlobals.has(name))
    return { kind: 'nil', why: `nothing is assigned to \`${name}\` on this path` };
  if (OPEN_LIBRARIES.includes(name)) reportClosedLibrary(analysis, node);
  else if (MACHINE.includes(name)) reportMachine(analysis, node);
  else reportUndefined(analysis, node);
  return isLibrary(name) ? { kind: 'builtin', name } : unknown(globalCell(name), name);
}

function isLibrary(name: string): boolean {
  return OPEN_LIBRARIES.includes(name) || MACHINE.includes(name);
}

function reportClosedLibrary(analysis: Analysis, node: Identifier): void {
  if (analysis.settings.openLibs) return;
  analysis.report('needs-open-libs', node, {
    severity: 'error',
    message:
      `\`${node.name}\` does not exist for this check because its open libraries are off, so the script stops ` +
      'with an error and Argo CD shows the resource as Unknown.',
    hint: openLibsHint(analysis),
  });
}

/** How to switch the libraries on, or do without. */
export function openLibsHint(analysis: Analysis): string {
  const kind = analysis.settings.kind === '' ? '<Kind>' : analysis.settings.kind;
  return (
    `set \`resource.customizations.useOpenLibs.<group>_${kind}: "true"\` in argocd-cm, ` + 'or do without the library'
  );
}

function reportMachine(analysis: Analysis, node: Identifier): void {
  const { name } = node;
  if (name === 'os') {
    if (analysis.settings.openLibs) return;
    analysis.report('outside-sandbox', node, {
      severity: 'error',
      message:
        "The global `os` does not exist in Argo CD's sandbox unless the open libraries are on, so the " +
        'script stops with an error.',
      hint: 'write `local os = require("os")`; it has `time` and `date` only',
    });
    return;
  }
  analysis.report('outside-sandbox', node, {
    severity: analysis.settings.openLibs ? 'warning' : 'error',
    message:
      `\`${name}\` reaches outside the sandbox: a health check sees \`obj\` and nothing else, so this call ` + 'fails.',
    hint: 'decide by the fields of `obj` alone',
  });
}

function reportUndefined(analysis: Analysis, node: Identifier): void {
  const close = closestWord(node.name, ['obj', ...analysis.assignedGlobals, ...BASE]);
  const usual = node.name === 'self' || node.name === 'object' ? 'obj' : close;
  analysis.report('undefined-global', node, {
    severity: 'error',
    message: `\`${node.name}\` is not defined anywhere, so it is nil wherever the script reads it.`,
    hint: usual === undefined ? 'define it first; the object under test is `obj`' : `did you mean \`${usual}\`?`,
  });
}
