import type { Analysis } from './analysis.js';
import type { Finding } from '../finding.js';
import { isBuiltIn } from '../known-kinds.js';
import type { Node } from './parse-script.js';
import { isCounter } from './presence.js';
import type { State } from './state.js';
import { emptiness } from './truth.js';
import type { Place, Value } from './value.js';

/** What the script does with a value that Lua refuses to do with nil. */
export type Use =
  | { readonly kind: 'index'; readonly field: string; readonly whole: Node }
  | { readonly kind: 'method'; readonly field: string }
  | { readonly kind: 'write'; readonly field: string }
  | { readonly kind: 'call' }
  | { readonly kind: 'length' }
  | { readonly kind: 'concat' }
  | { readonly kind: 'arithmetic'; readonly operator: string }
  | { readonly kind: 'order'; readonly operator: string }
  | { readonly kind: 'iterate'; readonly iterator: string }
  | { readonly kind: 'argument'; readonly callee: string };

/**
 * The state in which the value is there, or nothing where it is certainly nil and the script stops. Reports a value
 * that may be nil; after that it counts as there, because the script would not have gone on.
 */
export function requireValue(
  value: Value,
  use: Use,
  at: { state: State; node: Node; analysis: Analysis },
): State | undefined {
  const { state, node, analysis } = at;
  if (value.kind === 'nil') {
    reportNil(value.why, 'warning', use, node, analysis);
    return undefined;
  }
  if (value.kind !== 'place') return state;
  const { place } = value;
  const fact = state.facts.get(place.key);
  if (fact?.nil === true) {
    reportNil('the script has just found that it is nil', 'error', use, node, analysis);
    return undefined;
  }
  const isThere = fact?.nil === false || fact?.truthy === true || fact?.equals !== undefined;
  if (!isThere && !isFirstOfFilled(place, state)) reportPlace(place, use, node, analysis);
  return isThere ? state : state.withFact(place.key, { nil: false });
}

function isFirstOfFilled(place: Place, state: State): boolean {
  return place.key.endsWith('.1') && emptiness(place.key.slice(0, -2), state) === 'filled';
}

function reportNil(why: string, severity: Finding['severity'], use: Use, node: Node, analysis: Analysis): void {
  const text = analysis.textOf(node);
  const cause = why === '' ? '' : ` (${why})`;
  analysis.report('unguarded-nil', node, {
    severity,
    message:
      `\`${text}\` ${severity === 'error' ? 'is' : 'can be'} nil here${cause}, and ${effectOf(use)} stops the ` +
      'script with an error, so Argo CD shows the resource as Unknown.',
    hint: hintOf(text, use, analysis),
  });
}

function reportPlace(place: Place, use: Use, node: Node, analysis: Analysis): void {
  if (place.absence === 'never') return;
  if (place.absence === 'unknown' && !analysis.isReckonedWith(place) && !isList(place, use)) return;
  const text = analysis.textOf(node);
  const severity = severityOf(place, analysis);
  analysis.report('unguarded-nil', node, {
    severity,
    message:
      `\`${text}\` ${absenceText(place, use, analysis)}, and ${effectOf(use)} stops the script with an error, ` +
      'so Argo CD shows the resource as Unknown.',
    hint: hintOf(text, use, analysis),
  });
}

/** Controllers written in Go leave empty lists out of the status, wherever they are. */
function isList(place: Place, use: Use): boolean {
  return place.path?.[0] === 'status' && (use.kind === 'iterate' || use.kind === 'length');
}

/** The API server gives every object of its own kinds a status; those of others wait for their controller. */
function severityOf(place: Place, analysis: Analysis): Finding['severity'] {
  const isGiven = place.path?.[0] === 'status' && isBuiltIn(analysis.settings.group, analysis.settings.kind);
  return place.absence === 'often' && !isGiven ? 'error' : 'warning';
}

function absenceText(place: Place, use: Use, analysis: Analysis): string {
  const { group, kind } = analysis.settings;
  const path = place.path ?? [];
  if (path.length === 1 && path[0] === 'status' && isBuiltIn(group, kind))
    return 'is absent where the object comes from a manifest and not from an API server';
  if (path.length === 1 && path[0] === 'status')
    return `is absent on a new ${kind === '' ? 'object' : kind} until its controller first writes a status`;
  if (path[0] === 'metadata' && path.length === 2) return 'is absent on an object that has none';
  if ((use.kind === 'order' || use.kind === 'arithmetic') && isCounter(place.path))
    return 'is left out of the object by most controllers while it is zero';
  if (place.absence === 'unknown' && isList(place, use)) return 'is left out of the object while it is empty';
  if (place.absence === 'unknown') return 'can be absent, as another line of the script itself reckons';
  if (place.schema !== undefined) return 'is optional in the CRD';
  return 'may be absent';
}

function effectOf(use: Use): string {
  switch (use.kind) {
    case 'index':
      return `reading \`${use.field}\` of nil`;
    case 'method':
      return `calling \`${use.field}\` on nil`;
    case 'write':
      return `setting \`${use.field}\` of nil`;
    case 'call':
      return 'calling nil';
    case 'length':
      return 'taking the length of nil';
    case 'concat':
      return 'joining nil to a text';
    case 'arithmetic':
      return `computing with nil (\`${use.operator}\`)`;
    case 'order':
      return `comparing nil with \`${use.operator}\``;
    case 'iterate':
      return `\`${use.iterator}(nil)\``;
    case 'argument':
      return `\`${use.callee}\` without a value`;
    default:
      return use satisfies never;
  }
}

function hintOf(text: string, use: Use, analysis: Analysis): string {
  switch (use.kind) {
    case 'index': {
      if (text === 'obj.status')
        return (
          'answer for the new object first: `if obj.status == nil then return { status = "Progressing", ' +
          'message = "Waiting for status" } end`'
        );
      return `test it first: \`if ${text} ~= nil and ${analysis.textOf(use.whole)} ... then\``;
    }
    case 'concat':
      return `give a default: \`(${text} or "")\``;
    case 'arithmetic':
    case 'order':
      return `give a default: \`(${text} or 0)\``;
    case 'length':
      return `give a default: \`#(${text} or {})\``;
    case 'iterate':
      return `give a default: \`${use.iterator}(${text} or {})\``;
    case 'argument':
      return `give a default: \`${use.callee}(${text} or "")\``;
    case 'call':
    case 'method':
    case 'write':
      return `test it first: \`if ${text} ~= nil then ... end\``;
    default:
      return use satisfies never;
  }
}
