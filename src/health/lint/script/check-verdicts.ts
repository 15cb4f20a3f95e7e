import { HEALTH_STATUSES, isHealthStatus } from '../../../model/argo/index.js';
import type { Analysis, Flow, Returned } from './analysis.js';
import { closestWord } from '../closest-word.js';
import { endOf, walk, type Node } from './parse-script.js';
import { allowedValues } from './schema-step.js';
import { listAllowed } from './truth.js';
import { NIL, type Value } from './value.js';

const WAITS = 'Argo CD then shows no status, and a sync wave waits forever';

/** Rules about what the script answers: on every path, a table with one of the six statuses. */
export function checkVerdicts(analysis: Analysis, flow: Flow): void {
  if (flow.next.length > 0 && !analysis.isPartial) reportNoReturn(analysis, flow);
  for (const [node, returned] of groupByNode(flow.returns)) checkReturn(analysis, node, returned);
}

function groupByNode(returns: readonly Returned[]): Map<Node, Returned[]> {
  const groups = new Map<Node, Returned[]>();
  for (const returned of returns) {
    const group = groups.get(returned.node);
    if (group === undefined) groups.set(returned.node, [returned]);
    else group.push(returned);
  }
  return groups;
}

function reportNoReturn(analysis: Analysis, flow: Flow): void {
  const last = analysis.chunk.body.at(-1);
  const always = flow.returns.length === 0;
  analysis.report('missing-return', last ?? analysis.chunk, {
    severity: 'error',
    message: `The script ${always ? 'never returns a status' : 'can end here without returning a status'}; ${WAITS}.`,
    hint: 'end the script with `return hs`',
    ...(last === undefined ? {} : { at: endOf(last) }),
  });
}

function checkReturn(analysis: Analysis, node: Node, returned: readonly Returned[]): void {
  // Argo CD looks at the last value.
  const values = returned.map((item) => ({ item, value: item.values.at(-1) ?? NIL }));
  const nils = values.filter(
    ({ item, value }) =>
      value.kind === 'nil' || (value.kind === 'place' && item.state.facts.get(value.place.key)?.nil === true),
  );
  if (nils.length > 0) reportNil(analysis, node, nils.length === values.length);
  for (const { value } of values) {
    if (value.kind === 'literal' || value.kind === 'text' || value.kind === 'function')
      reportKind(analysis, node, value);
    else if (value.kind === 'place' && value.place.path !== undefined) reportObject(analysis, node);
  }
  const tables = values.flatMap(({ item, value }) =>
    value.kind === 'table' ? [{ item, table: item.state.tables.get(value.id) }] : [],
  );
  const bare = tables.filter(
    ({ table }) => table !== undefined && !table.isOpen && isUnset(table.fields.get('status')),
  );
  if (bare.length > 0) reportNoStatus(analysis, node, bare.length === values.length);
  for (const { item, table } of tables) {
    const status = table?.fields.get('status');
    if (status !== undefined) checkStatus(analysis, node, status, item);
  }
}

function isUnset(value: Value | undefined): boolean {
  return value === undefined || value.kind === 'nil';
}

function reportNil(analysis: Analysis, node: Node, always: boolean): void {
  analysis.report('missing-return', node, {
    severity: always ? 'error' : 'warning',
    message: `This return ${always ? 'gives' : 'can give'} nil instead of a health table; ${WAITS}.`,
    hint: 'return a table: `return { status = "Progressing", message = "..." }`',
  });
}

function reportKind(analysis: Analysis, node: Node, value: Value): void {
  const type = luaTypeOf(value);
  const status = value.kind === 'literal' && isHealthStatus(value.value) ? value.value : 'Healthy';
  analysis.report('missing-return', node, {
    severity: 'error',
    message:
      `This return gives a ${type} instead of a table, so Argo CD fails with "expect table output from Lua ` +
      `script, not ${type}".`,
    hint: `return a table: \`return { status = "${status}" }\``,
  });
}

function luaTypeOf(value: Value): string {
  if (value.kind === 'literal') return typeof value.value;
  return value.kind === 'function' ? 'function' : 'string';
}

function reportObject(analysis: Analysis, node: Node): void {
  analysis.report('missing-return', node, {
    severity: 'error',
    message:
      'This return gives a part of the object instead of a health table, so Argo CD reads an invalid status or fails.',
    hint: 'return a table of your own: `return { status = "Healthy", message = "..." }`',
  });
}

function reportNoStatus(analysis: Analysis, node: Node, always: boolean): void {
  analysis.report('unknown-status', node, {
    severity: always ? 'error' : 'warning',
    message: always
      ? `The table returned here has no status, so ${WAITS.replace('then ', '')}.`
      : `On a path where no condition above matches, the table returned here has no status; ${WAITS}.`,
    hint: 'start with a default: `local hs = { status = "Progressing", message = "Waiting for status" }`',
  });
}

function checkStatus(analysis: Analysis, node: Node, status: Value, returned: Returned): void {
  if (status.kind === 'literal') {
    if (!isHealthStatus(status.value)) reportLiteral(analysis, node, status);
    return;
  }
  if (status.kind !== 'place') return;
  const { place } = status;
  const fact = returned.state.facts.get(place.key);
  if (fact?.equals !== undefined) return;
  const foreign = allowedValues(place.schema)?.filter(
    (value) => value !== null && !isHealthStatus(value) && fact?.differs?.has(value as string) !== true,
  );
  if (foreign === undefined || foreign.length === 0) return;
  analysis.report('unknown-status', node, {
    severity: 'warning',
    message:
      `The status is copied from \`${place.text}\`, which can be ${listAllowed(foreign)}; Argo CD turns such ` +
      'a status into Unknown.',
    hint: `map each value to one of ${HEALTH_STATUSES.join(', ')}`,
  });
}

/** Points to every line that sets the wrong word, not only to the one this path went through. */
function reportLiteral(analysis: Analysis, node: Node, status: Value & { kind: 'literal' }): void {
  const word = String(status.value);
  const close = closestWord(word, HEALTH_STATUSES) ?? SYNONYMS[word.toLowerCase()];
  const nodes = statusLiterals(analysis)
    .filter(({ value }) => value === status.value)
    .map((found) => found.node);
  for (const at of nodes.length > 0 ? nodes : [status.at ?? node]) {
    analysis.report('unknown-status', at, {
      severity: 'error',
      message:
        `"${word}" is not a health status, so Argo CD shows the resource as Unknown with "Lua returned an ` +
        'invalid health status".',
      hint: close === undefined ? `use one of ${HEALTH_STATUSES.join(', ')}` : `did you mean "${close}"?`,
    });
  }
}

const SYNONYMS: Partial<Record<string, string>> = {
  ready: 'Healthy',
  ok: 'Healthy',
  running: 'Progressing',
  succeeded: 'Healthy',
  success: 'Healthy',
  completed: 'Healthy',
  available: 'Healthy',
  failed: 'Degraded',
  error: 'Degraded',
  unhealthy: 'Degraded',
  pending: 'Progressing',
  waiting: 'Progressing',
  paused: 'Suspended',
};

/** Every text that the script assigns to a field called status. */
export function statusLiterals(analysis: Analysis): { node: Node; value: string; range: readonly [number, number] }[] {
  const found: { node: Node; value: string; range: readonly [number, number] }[] = [];
  const take = (node: Node | undefined): void => {
    if (node?.type === 'StringLiteral')
      found.push({ node, value: node.value, range: 'range' in node ? (node.range as [number, number]) : [0, 0] });
  };
  walk(analysis.chunk, (node) => {
    if (node.type === 'AssignmentStatement') {
      node.variables.forEach((variable, index) => {
        const isStatus =
          (variable.type === 'MemberExpression' && variable.identifier.name === 'status') ||
          (variable.type === 'IndexExpression' &&
            variable.index.type === 'StringLiteral' &&
            variable.index.value === 'status');
        if (isStatus) take(node.init[index]);
      });
    } else if (node.type === 'TableKeyString' && node.key.name === 'status') take(node.value);
    else if (node.type === 'TableKey' && node.key.type === 'StringLiteral' && node.key.value === 'status')
      take(node.value);
  });
  return found;
}
