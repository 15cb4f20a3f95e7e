import ts from 'typescript';
import type { SourceFile } from './source-files.js';

function parse({ path, text }: SourceFile): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
}

function placesOf(file: SourceFile, isFound: (node: ts.Node) => boolean): string[] {
  const source = parse(file);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isFound(node))
      found.push(`${file.path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A conditional expression that is a branch or the condition of another one. */
export function nestedTernaries(file: SourceFile): string[] {
  // To parse everything takes seconds: most files have no two question marks that could be meant.
  if ((file.text.match(/\?\s/g)?.length ?? 0) < 2) return [];
  return placesOf(file, (node) => {
    if (!ts.isConditionalExpression(node)) return false;
    let parent = node.parent;
    while (ts.isParenthesizedExpression(parent)) parent = parent.parent;
    return ts.isConditionalExpression(parent);
  });
}

export function anyTypes(file: SourceFile): string[] {
  if (!/\bany\b/.test(file.text)) return [];
  return placesOf(file, (node) => node.kind === ts.SyntaxKind.AnyKeyword);
}

/** The names that a file declares and exports. */
export function exportedNames(file: SourceFile): string[] {
  return parse(file).statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    return 'name' in statement ? [(statement.name as ts.Identifier).text] : [];
  });
}

/** The names that a door passes on. */
export function doorNames(file: SourceFile): string[] {
  return parse(file).statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) &&
    statement.exportClause !== undefined &&
    ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map(({ name }) => name.text)
      : [],
  );
}

/** Texts that a person may read: string literals with a space in them, and the fixed parts of templates. */
export function messages(file: SourceFile): { readonly line: number; readonly text: string }[] {
  const source = parse(file);
  const found: { line: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      if (node.text.includes(' '))
        found.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
