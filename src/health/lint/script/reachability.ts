import type { Analysis } from './analysis.js';
import { walk, type Node, type Statement } from './parse-script.js';

/** Reports code that no path reaches. Silent where some paths were not followed. */
export function checkReachability(analysis: Analysis): void {
  if (analysis.isPartial) return;
  for (const block of analysis.entered) {
    const dead = block.find(
      (statement) => !analysis.executed.has(statement) && statement.type !== 'FunctionDeclaration',
    );
    // A last return that is never needed is a habit, not a mistake.
    if (dead !== undefined && dead.type !== 'ReturnStatement') reportDead(analysis, dead);
  }
  walk(analysis.chunk, (node) => {
    if (node.type !== 'IfStatement') return;
    for (const clause of node.clauses) {
      if (clause.type !== 'ElseClause' && analysis.evaluated.has(clause) && !analysis.held.has(clause))
        reportRepeated(analysis, clause, node.clauses);
    }
  });
}

function reportDead(analysis: Analysis, statement: Statement): void {
  analysis.report('unreachable-code', statement, {
    severity: 'warning',
    message: 'This line never runs, because every path before it has returned or stopped.',
    hint: 'remove it, or move it before the return',
  });
}

/** A condition that an earlier branch of the same `if` has already taken. */
function reportRepeated(analysis: Analysis, clause: Node & { condition: Node }, clauses: readonly Node[]): void {
  const text = analysis.textOf(clause.condition);
  const before = clauses.slice(0, clauses.indexOf(clause));
  const twin = before.find((other) => 'condition' in other && analysis.textOf(other.condition) === text);
  if (twin === undefined) return;
  analysis.report('unreachable-code', clause.condition, {
    severity: 'warning',
    message:
      `This branch never runs, because the branch at line ${twin.loc?.start.line ?? 0} already takes every ` +
      `object for which \`${text}\` holds.`,
    hint: 'remove one of the two, or correct the value it compares with',
  });
}

/** Reports a table that gets a status and is then forgotten. */
export function checkUnusedVerdicts(analysis: Analysis): void {
  const written = new Map<string, Node>();
  const used = new Set<string>();
  const targets = new Set<Node>();
  walk(analysis.chunk, (node) => {
    if (node.type === 'AssignmentStatement') {
      for (const variable of node.variables) {
        if (variable.type === 'MemberExpression' && variable.base.type === 'Identifier') {
          targets.add(variable.base);
          if (variable.identifier.name === 'status' && !written.has(variable.base.name))
            written.set(variable.base.name, variable);
        } else if (variable.type === 'Identifier') targets.add(variable);
      }
    } else if (node.type === 'LocalStatement') for (const variable of node.variables) targets.add(variable);
    else if (node.type === 'MemberExpression') targets.add(node.identifier);
    else if (node.type === 'TableKeyString') targets.add(node.key);
    else if (node.type === 'Identifier' && !targets.has(node)) used.add(node.name);
  });
  for (const [name, node] of written) {
    if (used.has(name) || name === 'obj') continue;
    analysis.report('unused-verdict', node, {
      severity: 'error',
      message: `\`${name}\` gets a status but the script never returns it, so this verdict is lost.`,
      hint: `return it: \`return ${name}\``,
    });
  }
}
