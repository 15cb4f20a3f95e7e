import { type JsonObject, objectsAt, textAt, textsAt, valueAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AppSession, applicationId, findApplication } from '../session/index.js';
import { goTime } from '../application/index.js';

const SHORT_REVISION_LENGTH = 7;

interface Line {
  readonly id: string;
  readonly date: string;
  readonly revision: string;
}

/** `app history`: what was deployed, by repository. */
export async function history(
  session: AppSession,
  name: string,
  { output }: { readonly output: string },
): Promise<string> {
  const application = await findApplication(session, applicationId(name, session));
  if (output === 'id')
    return historyOf(application)
      .map((entry) => `${idText(entry)}\n`)
      .join('');
  const byRepository = new Map<string, Line[]>();
  for (const entry of historyOf(application)) {
    const sources = objectsAt(entry, 'sources');
    const revisions = sources.length > 0 ? textsAt(entry, 'revisions') : [textAt(entry, 'revision')];
    const all = sources.length > 0 ? sources : listOf(entry);
    for (const [index, source] of all.entries()) {
      const repository = textAt(source, 'repoURL');
      const line = {
        id: idText(entry),
        date: goTime(textAt(entry, 'deployedAt')),
        revision: revisionText(textAt(source, 'targetRevision'), revisions[index] ?? ''),
      };
      byRepository.set(repository, [...(byRepository.get(repository) ?? []), line]);
    }
  }
  return [...byRepository].map(([repository, lines]) => formatHistory(repository, lines)).join('\n');
}

export function historyOf(application: KubeObject): JsonObject[] {
  return objectsAt(application, 'status', 'history');
}

function listOf(entry: JsonObject): JsonObject[] {
  const source = valueAt(entry, 'source');
  return [typeof source === 'object' && source !== null && !Array.isArray(source) ? source : {}];
}

export function idText(entry: JsonObject): string {
  return typeof entry.id === 'number' || typeof entry.id === 'bigint' ? String(entry.id) : '0';
}

function revisionText(target: string, revision: string): string {
  return revision.length >= SHORT_REVISION_LENGTH ? `${target} (${revision.slice(0, SHORT_REVISION_LENGTH)})` : target;
}

function formatHistory(repository: string, lines: readonly Line[]): string {
  const first = Math.max('SOURCE'.length, ...lines.map(({ id }) => id.length)) + 2;
  const second = Math.max('DATE'.length, ...lines.map(({ date }) => date.length)) + 2;
  const rows = [{ id: 'ID', date: 'DATE', revision: 'REVISION' }, ...lines].map(({ id, date, revision }) =>
    `${id.padEnd(first)}${date.padEnd(second)}${revision}`.trimEnd(),
  );
  return [`${'SOURCE'.padEnd(first)}${repository}`, ...rows, ''].join('\n');
}
