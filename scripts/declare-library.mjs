// The types of the library. Its files import internals but show only types of their own, so each can be declared by
// itself, and nothing of `src/` has to be in the package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The subpaths that package.json exports; each is a file of `src/library` and of `dist`. */
export const LIBRARY = ['render', 'health', 'triage', 'apiserver'];

/** File names in `dist` with their text. */
export function declareLibrary(root) {
  return new Map([...LIBRARY, 'types'].map((name) => [`${name}.d.ts`, declare(root, name)]));
}

function declare(root, name) {
  const fileName = join(root, 'src/library', `${name}.ts`);
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, strict: true, target: ts.ScriptTarget.ES2022 },
  });
  const [wrong] = diagnostics;
  if (wrong !== undefined) throw new Error(`${fileName}: ${ts.flattenDiagnosticMessageText(wrong.messageText, '\n')}`);
  const outside = /from '(\.\.\/[^']*)'/.exec(outputText)?.[1];
  if (outside !== undefined) throw new Error(`${fileName}: its types show ${outside}`);
  return outputText;
}
