// Forbids `object[name]` and `name in object` on a JsonObject where the name is not a literal: its keys are a
// stranger's, and `__proto__` may be one of them. No linter that is fast enough lets a rule of ours ask for types, so
// the compiler is asked directly.
import { join, relative } from 'node:path';
import { isBinaryExpression, isElementAccessExpression } from 'typescript-native/unstable/ast/is';
import { SyntaxKind, type Expression, type Node } from 'typescript-native/unstable/ast';
import { API, type Project, type Type } from 'typescript-native/unstable/sync';

const ROOT = join(import.meta.dirname, '../..');
const PROJECTS = ['tsconfig.json', 'web/tsconfig.json'].map((file) => join(ROOT, file));
const NAME = 'JsonObject';
/** The file that defines own, put and drop. */
const ALLOWED = new Set(['src/model/json/json.ts']);

/** Asks whether a type is JsonObject, extends it, or is a union or an intersection with one. */
class JsonObjectTypes {
  readonly #known = new Map<number, boolean>();

  has(type: Type | undefined): boolean {
    if (type === undefined) return false;
    const known = this.#known.get(type.id);
    if (known !== undefined) return known;
    // A type that contains itself adds nothing.
    this.#known.set(type.id, false);
    const answer = this.#find(type);
    this.#known.set(type.id, answer);
    return answer;
  }

  #find(type: Type): boolean {
    if (type.isUnionType() || type.isIntersectionType()) return type.getTypes().some((part) => this.has(part));
    if (type.getSymbol()?.name === NAME || type.getAliasSymbol()?.name === NAME) return true;
    return (type.getBaseTypes() ?? []).some((base) => this.has(base));
  }
}

/** The objects of a file whose property is computed. */
function computedAccesses(file: Node): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    if (isElementAccessExpression(node) && !isLiteral(node.argumentExpression)) found.push(node.expression);
    if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) found.push(node.right);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

function isLiteral({ kind }: Node): boolean {
  return kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NumericLiteral;
}

function isOwn(path: string): boolean {
  return path.startsWith(`${ROOT}/`) && !path.includes('/node_modules/') && !path.endsWith('.d.ts');
}

function violations({ program, checker }: Project): string[] {
  const jsonObjects = new JsonObjectTypes();
  return program
    .getSourceFileNames()
    .filter((path) => isOwn(path) && !ALLOWED.has(relative(ROOT, path)))
    .flatMap((path) => {
      const file = program.getSourceFile(path);
      const accesses = file === undefined ? [] : computedAccesses(file);
      if (file === undefined || accesses.length === 0) return [];
      const types = checker.getTypeAtLocation(accesses);
      return accesses
        .filter((_, index) => jsonObjects.has(types[index]))
        .map((access) => `${relative(ROOT, path)}:${lineOf(file.text, access.getStart(file))}`);
    });
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

const api = new API({ cwd: ROOT });
try {
  const projects = api.updateSnapshot({ openProjects: PROJECTS }).getProjects();
  const places = [...new Set(projects.flatMap(violations))];
  for (const place of places)
    process.stderr.write(`${place}: use own(object, key), put(object, key, value) or drop(object, key)\n`);
  process.exitCode = places.length === 0 && projects.length === PROJECTS.length ? 0 : 1;
} finally {
  api.close();
}
