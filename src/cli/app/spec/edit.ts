import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, clone, equal, isObject, objectAt, own } from '../../../model/json/index.js';
import { idOf, qualifiedName } from '../../../model/argo/index.js';
import { Fault } from '../../../model/faults/index.js';
import { readOneYaml, writeYaml } from '../../../model/yaml/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { runProgram } from '../../host/index.js';
import { type AppSession, applicationId, findApplication } from '../../session/index.js';
import { check } from './create.js';
import { changeApplication } from '../../application/index.js';

/** `app edit`: the spec in the user's own editor, again until it can be used or they leave it as it is. */
export async function edit(session: AppSession, name: string): Promise<string> {
  const { environment, stdout } = session.host;
  const editor = environment['EDITOR'] ?? '';
  if (editor === '' && stdout.isTTY !== true)
    throw new Fault('USAGE', 'no terminal, and EDITOR is not set: use app patch or app set');
  const before = await findApplication(session, applicationId(name, session));
  // Only its owner may look into the folder: a spec may carry values that are nobody else's business.
  const folder = mkdtempSync(join(tmpdir(), 'argosy-edit-'));
  const file = join(folder, `${before.metadata.name ?? 'application'}-edit.yaml`);
  let isKept = false;
  try {
    let text = writeYaml(objectAt(before, 'spec') ?? {});
    for (let problem = ''; ; ) {
      const shown = `${asComment(problem)}${text}`;
      writeFileSync(file, shown, { mode: 0o600 });
      const code = await runProgram('EDITOR', editor === '' ? 'vi' : editor, [file], session.host);
      const edited = readFileSync(file, 'utf8');
      const kept = isKept ? `: ${problem}; your text is kept in ${file}` : '';
      if (code !== 0)
        throw new Fault('USAGE', `the editor ended with ${code}, nothing was written${kept}`, { where: 'EDITOR' });
      if (edited.trim() === '' || edited === shown)
        throw new Fault('USAGE', `edit cancelled, no valid changes were saved${kept}`, {
          where: qualifiedName(idOf(before)),
        });
      text = withoutViolation(edited, problem);
      isKept = true;
      try {
        await save(session, before, readSpec(text));
        isKept = false;
        return `application '${before.metadata.name ?? ''}' edited\n`;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        // Who cannot look at the text again, as a script, is told at once.
        if (stdout.isTTY !== true || error.code === 'OPERATION_REFUSED' || error.code === 'CLUSTER_UNREACHABLE')
          throw new Fault(error.code, `${error.message}; your text is kept in ${file}`, {
            where: error.where,
            cause: error,
          });
        problem = error.message;
      }
    }
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

const MARK = '# ! ';

function asComment(problem: string): string {
  return problem === ''
    ? ''
    : problem
        .split('\n')
        .map((line) => `${MARK}${line}\n`)
        .join('');
}

/** Without the lines that told of the last problem; comments of the user stay until the text is read. */
function withoutViolation(text: string, problem: string): string {
  return problem === ''
    ? text
    : text
        .split('\n')
        .filter((line) => !line.startsWith(MARK))
        .join('\n');
}

function readSpec(text: string): JsonObject {
  const spec = readOneYaml(text, { dialect: 'kubernetes', file: 'the spec' });
  if (!isObject(spec)) throw new Fault('VALUE_INVALID', 'the spec of an Application is an object');
  return spec;
}

/**
 * Status changes all the time and does not matter; a spec that somebody else changed since it was opened is not
 * overwritten.
 */
async function save(session: AppSession, before: KubeObject, spec: JsonObject): Promise<void> {
  await changeApplication(session, idOf(before), (current) => {
    if (current.metadata.uid !== before.metadata.uid || !equal(own(current, 'spec'), own(before, 'spec')))
      throw new Fault('OPERATION_REFUSED', 'the spec was changed by someone else meanwhile');
    const application = { ...current, spec: clone(spec) };
    check(application);
    return application;
  });
}
