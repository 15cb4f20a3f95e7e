import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  answersPath,
  canonicalOfKubectl,
  MARK,
  readTable,
  TABLES,
  type Answer,
  type ComparedCase,
} from '../../src/render/safety/compared.js';
import { cachedAnswer } from '../real/cached-answer.js';
import { partsDir } from '../real/go-build.js';
import { builtTool } from '../real/tools.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-compared-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const [helm, kustomize] = await Promise.all([builtTool('helm'), builtTool('kustomize')]);
const kubectl = join(partsDir('kubernetes-v1.34.4'), 'kubectl');
const [missing] = [
  ...(helm.kind === 'built' ? [] : [`helm (${helm.reason})`]),
  ...(kustomize.kind === 'built' ? [] : [`kustomize (${kustomize.reason})`]),
  ...(existsSync(kubectl) ? [] : ['kubectl (the real parts are not built)']),
];

let count = 0;
const AT_ONCE = 4;

/** What the real tool of a case answers; asked once for each state of the case. */
function askTool(asked: ComparedCase): Promise<Answer> {
  return cachedAnswer('safety', [programOf(asked.tool), READER, JSON.stringify(asked)], () => runTool(asked));
}

const pathOf = (built: typeof helm): string => (built.kind === 'built' ? built.path : '');
const programOf = (tool: ComparedCase['tool']): string =>
  ({ helm: pathOf(helm), kustomize: pathOf(kustomize), kubectl })[tool];
/** How the tools are called and what is made of their answers. */
const READER = readFileSync(import.meta.filename, 'utf8');

function runTool({ tool, files, args = [] }: ComparedCase): Promise<Answer> {
  const folder = join(root, String(++count));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const [file = ''] = Object.keys(files);
  const words: Readonly<Record<ComparedCase['tool'], readonly string[]>> = {
    helm: ['template', '.', '--kube-version', '1.34.4', ...args],
    kustomize: ['build', '.'],
    kubectl: ['annotate', '--local', '-f', file, '-o', 'json', `${MARK}=1`],
  };
  const env = {
    PATH: '/nonexistent',
    HOME: root,
    HELM_CACHE_HOME: root,
    HELM_CONFIG_HOME: root,
    HELM_DATA_HOME: root,
    TZ: 'UTC',
  };
  return new Promise((resolve) => {
    execFile(programOf(tool), words[tool], { cwd: folder, env, maxBuffer: 64 << 20 }, (error, out) => {
      if (error !== null) resolve({ refused: true });
      else resolve({ text: tool === 'kubectl' ? canonicalOfKubectl(out) : out });
    });
  });
}

/** `vitest run contracts/render/safety.test.ts --update=all` writes down what the real tools answer to the tables. */
describe('the answers on record are those of the real tools', () => {
  if (missing !== undefined) {
    it.skip(`skipped: ${missing}`, () => {
      /* the name says why */
    });
    return;
  }
  it.each(TABLES)('%s', async (table) => {
    const cases = readTable(table);
    const answers: Record<string, Answer> = {};
    for (let at = 0; at < cases.length; at += AT_ONCE) {
      const some = cases.slice(at, at + AT_ONCE);
      for (const [index, given] of (await Promise.all(some.map(askTool))).entries())
        answers[some[index]?.name ?? ''] = given;
    }
    await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot(answersPath(table));
  });
});
