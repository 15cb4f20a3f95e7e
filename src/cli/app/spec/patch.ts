import { applyApplicationPatch, rewriteApplication } from '../../../control/index.js';
import { equal, isObject, own } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import { writeYaml } from '../../../model/yaml/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { applicationId, type AppFlags, type AppSession } from '../../session/index.js';
import { check } from './create.js';
import { changeApplication } from '../../application/index.js';

/** `app patch`: prints the Application as it is afterwards. */
export async function patch(
  session: AppSession,
  name: string,
  flags: AppFlags & { readonly patch?: string; readonly type: string },
): Promise<string> {
  const { patch: text, type } = flags;
  if (text === undefined || text === '') throw new Fault('USAGE', 'give the patch with --patch');
  let leftOut: string[] = [];
  const written = await changeApplication(session, applicationId(name, session), (current) => {
    const after = applyApplicationPatch(current, type, text);
    const metadata = isObject(after.metadata) ? after.metadata : {};
    const wanted = { ...current, ...after, metadata } as KubeObject;
    leftOut = [
      ...['apiVersion', 'kind', 'status', 'operation'].filter(
        (field) => !equal(own(after, field), own(current, field)),
      ),
      ...['name', 'namespace', 'uid']
        .filter((field) => own(metadata, field) !== own(current.metadata, field))
        .map((field) => `metadata.${field}`),
    ];
    const result = rewriteApplication(current, wanted, false);
    check(result);
    return result;
  });
  if (leftOut.length > 0)
    session.host.stderr.write(
      `left as it was: ${leftOut.join(', ')}; a patch changes spec, labels, annotations and finalizers\n`,
    );
  return `${writeYaml(written)}\n`;
}

const APPROVED = 'argocd.argoproj.io/deletion-approved';

/** `app confirm-deletion`: what asks to be confirmed before it is pruned or deleted may go now. */
export async function confirmDeletion(session: AppSession, name: string): Promise<string> {
  const id = applicationId(name, session);
  await changeApplication(session, id, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      annotations: {
        ...current.metadata.annotations,
        [APPROVED]: new Date(session.host.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
      },
    },
  }));
  return `Application '${id.name}' updated successfully\n`;
}
