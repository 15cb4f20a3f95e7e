import { isStackOverflow } from '../budget.js';
import { PipelineCompiler } from './compile-pipeline.js';
import { compileRange } from './compile-range.js';
import { printable } from '../value/escape.js';
import type { GoFunctions } from '../value/go-function.js';
import { plainText } from '../value/go-print.js';
import { quoteText } from '../value/go-text.js';
import type { ActionNode, BranchNode, ListNode, Node, TemplateNode, Tree } from '../parse/node.js';
import type { Signal, State, Walk } from './state.js';
import { isTrue } from './truth.js';

const compiled = new WeakMap<Tree, Walk>();

/** A template as closures, made when it is first run. Trees belong to one table of functions, so do their closures. */
export function compileTree(tree: Tree, functions: GoFunctions): Walk {
  let walk = compiled.get(tree);
  if (walk === undefined) {
    walk = compileList(tree.root, new PipelineCompiler(functions));
    compiled.set(tree, walk);
  }
  return walk;
}

function compileList(list: ListNode, pipelines: PipelineCompiler): Walk {
  const walks = list.nodes.map((node) => compileNode(node, pipelines));
  const count = walks.length;
  return (state, dot) => {
    state.node = list;
    const { budget } = state.run;
    budget.down();
    let signal: Signal = 'next';
    for (let i = 0; i < count && signal === 'next'; i++) signal = walks[i]?.(state, dot) ?? 'next';
    budget.up();
    return signal;
  };
}

/** A list that most runs do not reach, such as the branch of a condition, is compiled when one does. */
function compileWhenReached(list: ListNode, pipelines: PipelineCompiler): Walk {
  let walk: Walk | undefined;
  return (state, dot) => (walk ??= compileList(list, pipelines))(state, dot);
}

function compileNode(node: Node, pipelines: PipelineCompiler): Walk {
  switch (node.kind) {
    case 'text':
      return (state) => {
        state.node = node;
        state.run.write(node.text);
        return 'next';
      };
    case 'action':
      return compileAction(node, pipelines);
    case 'if':
    case 'with':
      return compileBranch(node, pipelines);
    case 'range': {
      const otherwise = node.otherwise === undefined ? undefined : compileWhenReached(node.otherwise, pipelines);
      return compileRange(node, pipelines.pipeline(node.pipe), compileWhenReached(node.list, pipelines), otherwise);
    }
    case 'template':
      return compileTemplate(node, pipelines);
    case 'list':
      return compileList(node, pipelines);
    case 'break':
    case 'continue':
      return (state) => {
        state.node = node;
        return node.kind;
      };
    case 'end':
    case 'else':
      throw new TypeError('a tree has no such node');
  }
}

function compileAction(node: ActionNode, pipelines: PipelineCompiler): Walk {
  const pipe = pipelines.pipeline(node.pipe);
  const prints = node.pipe.declared.length === 0;
  return (state, dot) => {
    state.node = node;
    const value = pipe(state, dot);
    if (prints) {
      state.node = node;
      state.run.write(typeof value === 'string' ? value : plainText(printable(value ?? null)));
    }
    return 'next';
  };
}

function compileBranch(node: BranchNode, pipelines: PipelineCompiler): Walk {
  const pipe = pipelines.pipeline(node.pipe);
  const list = compileWhenReached(node.list, pipelines);
  const otherwise = node.otherwise === undefined ? undefined : compileWhenReached(node.otherwise, pipelines);
  const isWith = node.kind === 'with';
  return (state, dot) => {
    state.node = node;
    const mark = state.mark();
    const value = pipe(state, dot);
    let signal: Signal;
    if (!isTrue(value)) signal = otherwise?.(state, dot) ?? 'next';
    else if (isWith) {
      const wasBoxed = state.isDotBoxed;
      state.isDotBoxed = false;
      signal = list(state, value);
      state.isDotBoxed = wasBoxed;
    } else signal = list(state, dot);
    state.pop(mark);
    return signal;
  };
}

function compileTemplate(node: TemplateNode, pipelines: PipelineCompiler): Walk {
  const pipe = node.pipe === undefined ? undefined : pipelines.pipeline(node.pipe);
  return (state, dot) => {
    state.node = node;
    const { run } = state;
    if (!run.has(node.name)) state.fail(`template ${quoteText(node.name)} not defined`);
    const data = pipe?.(state, dot);
    try {
      if (!run.budget.enter()) tooDeep(state, node);
      run.walk(node.name, data);
      run.budget.leave();
    } catch (error) {
      if (isStackOverflow(error)) tooDeep(state, node);
      throw error;
    }
    return 'next';
  };
}

/** Go's own limit is what it says, and more than our stack holds; only endless recursion meets either. */
function tooDeep(state: State, node: TemplateNode): never {
  state.node = node;
  return state.fail('exceeded maximum template depth (100000)');
}
