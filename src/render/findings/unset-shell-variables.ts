import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { Manifest } from '../common/index.js';
import type { Finding } from './finding.js';

/** A script of a container whose loop asks for a variable that has no value when the loop starts. */
export interface UnsetShellVariable extends Finding {
  readonly rule: 'unset-shell-variable';
  readonly variable: string;
  readonly container: string;
  /** The line of the script, from 1. */
  readonly scriptLine: number;
}

/** Looks at what shells in containers are told to run. */
export function findUnsetShellVariables(manifests: readonly Manifest[]): UnsetShellVariable[] {
  return manifests.flatMap(({ object, origin }) =>
    containersIn(object).flatMap((container) => {
      const name = textOf(container.name);
      const script = scriptOf(container);
      return script === undefined
        ? []
        : unsetInLoops(script, environmentOf(container)).map(
            ({ variable, line, condition, isUntil }): UnsetShellVariable => ({
              rule: 'unset-shell-variable',
              variable,
              container: name,
              scriptLine: line,
              place: { file: origin.file, line: origin.line },
              message:
                `${object.kind}/${object.metadata.name ?? ''} (${origin.file}:${origin.line}), container ` +
                `${name}, line ${line} of its script: the loop asks for $${variable} in "${condition}", ` +
                ('but nothing sets it before; the test fails and the loop ' +
                  `${isUntil ? 'never ends' : 'never runs'}. Set ${variable} before the loop`),
            }),
          );
    }),
  );
}

const MAX_DEPTH = 40;

/** Every list of containers, wherever the kind keeps its pod template. */
function containersIn(value: Json, depth = 0): JsonObject[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  if (isArray(value)) return value.flatMap((item) => containersIn(item, depth + 1));
  return Object.keys(value).flatMap((key) => {
    const inside = own(value, key) ?? null;
    const found = (key === 'containers' || key === 'initContainers') && isArray(inside) ? inside.filter(isObject) : [];
    return [...found, ...containersIn(inside, depth + 1)];
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const SHELL = /(?:^|\/)(?:ba|da|a|k|z)?sh$/;

/** The text after `-c` of a shell. */
function scriptOf({ command, args }: JsonObject): string | undefined {
  const words = [command, args]
    .flatMap((list) => (isArray(list) ? list : []))
    .filter((word) => typeof word === 'string');
  const shell = words.findIndex((word) => SHELL.test(word));
  const flag = shell < 0 ? -1 : words.findIndex((word, index) => index > shell && /^-[a-z]*c$/.test(word));
  return flag < 0 ? undefined : words[flag + 1];
}

/** Names that the container has without the script; undefined where nobody can tell them all. */
function environmentOf({ env, envFrom }: JsonObject): ReadonlySet<string> | undefined {
  if (isArray(envFrom) && envFrom.length > 0) return undefined;
  return new Set(
    (isArray(env) ? env : []).flatMap((entry) =>
      isObject(entry) && typeof entry.name === 'string' ? [entry.name] : [],
    ),
  );
}

const GIVEN = new Set([
  'HOME',
  'PATH',
  'PWD',
  'OLDPWD',
  'HOSTNAME',
  'USER',
  'SHELL',
  'SHLVL',
  'RANDOM',
  'SECONDS',
  'LINENO',
  'UID',
  'EUID',
  'PPID',
  'IFS',
  'OPTIND',
  'OPTARG',
  'BASHPID',
  'EPOCHSECONDS',
  'PIPESTATUS',
  'REPLY',
  'LANG',
  'TERM',
]);
const LOOP = /(?:^|[;&|\n]|\bdo\b|\bthen\b|\belse\b)[ \t]*(while|until)\b([^\n]*?)(?:;|\n)\s*do\b/g;
/** Words that give values to the names behind them. */
const SETTING = /\b(?:read|for|local|declare|typeset|export|readonly|mapfile|readarray|getopts|let|select)\b/;
/** `${NAME:-x}` and its relatives have an answer of their own. */
const USE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** The patterns take the square of it in the worst case. */
const MAX_SCRIPT_LENGTH = 16 * 1024;

interface Unset {
  readonly variable: string;
  readonly line: number;
  readonly condition: string;
  readonly isUntil: boolean;
}

function unsetInLoops(script: string, environment: ReadonlySet<string> | undefined): Unset[] {
  // What another file or a built text sets cannot be seen.
  if (
    environment === undefined ||
    script.length > MAX_SCRIPT_LENGTH ||
    /(?:^|[;&|\s])(?:source|eval|\.)\s+\S/m.test(script)
  )
    return [];
  const text = script.replace(/(^|\s)#.*$/gm, (comment) => ' '.repeat(comment.length));
  return [...text.matchAll(LOOP)].flatMap((match) => {
    const condition = (match[2] ?? '').trim();
    // `[ ]`, `[[ ]]`, `test` and `(( ))` compare; other commands may do with nothing.
    if (!/^!?\s*(?:\[|test\b)/.test(condition)) return [];
    const start = match.index + match[0].indexOf(condition);
    const names = new Set([...condition.matchAll(USE)].map(([, braced, plain]) => braced ?? plain ?? ''));
    const before = text.slice(0, start);
    const line = before.split('\n').length;
    return [...names]
      .filter((name) => !GIVEN.has(name) && !environment.has(name) && !isService(name) && !isSet(before, name))
      .map((variable) => ({ variable, line, condition, isUntil: match[1] === 'until' }));
  });
}

/** Kubernetes tells every container where services are. */
function isService(name: string): boolean {
  return /_SERVICE_HOST$|_PORT/.test(name);
}

function isSet(before: string, name: string): boolean {
  const assigned = new RegExp(`(?:^|[^\\w$])${name}(?:\\[[^\\][]*\\])?\\+?=|\\$\\{${name}:?=|-v[ \\t]+${name}\\b`, 'm');
  const named = new RegExp(`\\b${name}\\b`);
  const calculated = new RegExp(`\\b${name}\\b\\s*[-+*/]?=[^=]`);
  return (
    assigned.test(before) ||
    before.split(/[\n;]/).some((statement) => named.test(behind(statement, SETTING))) ||
    before.split(')').some((piece) => calculated.test(behind(piece, /\(\(/)))
  );
}

/** What stands behind the first place that fits. */
function behind(text: string, pattern: RegExp): string {
  const found = pattern.exec(text);
  return found === null ? '' : text.slice(found.index + found[0].length);
}
