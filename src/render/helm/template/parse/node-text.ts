import { quoteText, textLength } from '../value/go-text.js';
import type { AnyNode, CommandNode, Operand, PipeNode } from './node.js';

/** A node as Go writes it in error messages. */
export function nodeText(node: AnyNode): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'action':
      return `{{${pipeText(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range': {
      const otherwise = node.otherwise === undefined ? '' : `{{else}}${nodeText(node.otherwise)}`;
      return `{{${node.kind} ${pipeText(node.pipe)}}}${nodeText(node.list)}${otherwise}{{end}}`;
    }
    case 'template':
      return `{{template ${quoteText(node.name)}${node.pipe === undefined ? '' : ` ${pipeText(node.pipe)}`}}}`;
    case 'break':
    case 'continue':
    case 'end':
    case 'else':
      return `{{${node.kind}}}`;
    case 'list':
      return node.nodes.map(nodeText).join('');
    case 'pipe':
      return pipeText(node);
    case 'command':
      return commandText(node);
    default:
      return operandText(node);
  }
}

function operandText(node: Exclude<Operand, PipeNode>): string {
  switch (node.kind) {
    case 'identifier':
      return node.name;
    case 'field':
      return node.names.map((name) => `.${name}`).join('');
    case 'chain':
      return [inParens(node.node), ...node.names].join('.');
    case 'variable':
      return node.names.join('.');
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'string':
      return node.quoted;
    case 'number':
      return node.text;
  }
}

function pipeText({ declared, isAssign, commands }: PipeNode): string {
  const head = declared.length === 0 ? '' : `${declared.map(nodeText).join(', ')} ${isAssign ? '=' : ':='} `;
  return head + commands.map(commandText).join(' | ');
}

function commandText({ args }: CommandNode): string {
  return args.map(inParens).join(' ');
}

function inParens(node: AnyNode): string {
  return node.kind === 'pipe' ? `(${pipeText(node)})` : nodeText(node);
}

/** `file:line:column` of a node; the column counts bytes from 0. */
export function placeText({ pos, source }: AnyNode): string {
  const before = source.text.slice(0, pos);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${source.name}:${line}:${textLength(before.slice(lineStart))}`;
}
