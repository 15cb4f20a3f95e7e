import ts from 'typescript';

/** A regular expression that a source file makes. */
export interface FoundRegex {
  readonly line: number;
  /** As it stands in the file. */
  readonly text: string;
  /** What it can be; none where only the running program knows. */
  readonly patterns: readonly string[];
  readonly flags: string;
}

type Values = ReadonlyMap<string, ts.Expression>;

/**
 * Every regular expression of a file: literals, and calls of RegExp. Their texts may be made of constants of the file
 * and of parameters of a function of the file, as its calls there give them. `samples` stand for names that nothing
 * tells.
 */
export function findRegexes(
  name: string,
  source: string,
  samples: Readonly<Record<string, string>> = {},
): FoundRegex[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const known = new Map<string, ts.Expression>([
    ...constantsOf(file),
    ...Object.entries(samples).map(([key, text]) => [key, ts.factory.createStringLiteral(text)] as const),
  ]);
  return all(file).flatMap((node): FoundRegex[] => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    if (ts.isRegularExpressionLiteral(node)) {
      const { pattern, flags } = partsOf(node.text);
      return [{ line, text: node.text, patterns: [pattern], flags }];
    }
    if (
      !(ts.isNewExpression(node) || ts.isCallExpression(node)) ||
      !ts.isIdentifier(node.expression) ||
      node.expression.text !== 'RegExp'
    )
      return [];
    const [pattern, flags] = node.arguments ?? [];
    return [
      {
        line,
        text: node.getText(file),
        patterns: pattern === undefined ? [''] : patternsOf(pattern, known, file),
        flags: flags === undefined ? '' : (valueOf(flags, known) ?? ''),
      },
    ];
  });
}

function all(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [node];
  ts.forEachChild(node, (child) => void found.push(...all(child)));
  return found;
}

/** Only those of the file itself: constants of a function may hide others of their name. */
function constantsOf(file: ts.SourceFile): [string, ts.Expression][] {
  return file.statements
    .flatMap((statement) =>
      ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) !== 0
        ? [...statement.declarationList.declarations]
        : [],
    )
    .flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) && initializer !== undefined ? [[name.text, initializer]] : [],
    );
}

function patternsOf(pattern: ts.Expression, known: Values, file: ts.SourceFile): string[] {
  const value = valueOf(pattern, known);
  if (value !== undefined) return [value];
  for (let outer: ts.Node = pattern; !ts.isSourceFile(outer); outer = outer.parent) {
    const values =
      ts.isFunctionDeclaration(outer) || ts.isArrowFunction(outer) ? valuesOfCalls(outer, pattern, known, file) : [];
    if (values.length > 0 && values.every((each) => each !== undefined)) return values;
  }
  return [];
}

/** What an expression inside a function gives at each call of it; nothing where others can call it too. */
function valuesOfCalls(
  outer: ts.FunctionDeclaration | ts.ArrowFunction,
  pattern: ts.Expression,
  known: Values,
  file: ts.SourceFile,
): (string | undefined)[] {
  const declaration = ts.isFunctionDeclaration(outer) ? outer : outer.parent;
  const name =
    ts.isFunctionDeclaration(declaration) || ts.isVariableDeclaration(declaration) ? declaration.name : undefined;
  const isExported =
    ts.isFunctionDeclaration(outer) && (outer.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (name === undefined || !ts.isIdentifier(name) || isExported) return [];
  const uses = all(file).filter((node) => ts.isIdentifier(node) && node !== name && node.text === name.text);
  return uses.map((use) => {
    const call = use.parent;
    if (!ts.isCallExpression(call) || call.expression !== use) return undefined;
    const given = outer.parameters.flatMap((parameter, index): [string, ts.Expression][] => {
      const value = call.arguments[index];
      return ts.isIdentifier(parameter.name) && value !== undefined ? [[parameter.name.text, value]] : [];
    });
    return valueOf(pattern, new Map([...known, ...given]));
  });
}

function partsOf(literal: string): { readonly pattern: string; readonly flags: string } {
  const end = literal.lastIndexOf('/');
  return { pattern: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The text that an expression always gives, where that can be told. */
function valueOf(node: ts.Expression, known: Values): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).pattern;
  if (ts.isIdentifier(node)) {
    const constant = known.get(node.text);
    return constant === undefined || constant === node ? undefined : valueOf(constant, known);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return valueOf(node.expression, known);
  if (ts.isTaggedTemplateExpression(node))
    return node.tag.getText() === 'String.raw' ? templateOf(node.template, known, true) : undefined;
  if (ts.isTemplateExpression(node)) return templateOf(node, known, false);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [valueOf(node.left, known), valueOf(node.right, known)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

function templateOf(node: ts.TemplateLiteral, known: Values, isRaw: boolean): string | undefined {
  const text = (part: ts.TemplateLiteralLikeNode): string => (isRaw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(node)) return text(node);
  let whole = text(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const value = valueOf(expression, known);
    if (value === undefined) return undefined;
    whole += value + text(literal);
  }
  return whole;
}
