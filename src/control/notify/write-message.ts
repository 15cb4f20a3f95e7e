import { createHash } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Change } from './change.js';
import type { DueMessage } from './evaluate-triggers.js';
import type { TemplateHost } from './message-template.js';
import type { Message } from './service.js';
import type { NotifySettings } from './settings.js';

export interface MessageSubject {
  readonly application: KubeObject;
  readonly project: KubeObject | undefined;
  readonly change: Change;
}

/** The message rendered by its templates in order. A Fault says why it cannot be rendered, without secrets. */
export function writeMessage(
  settings: NotifySettings,
  { templates, destination }: DueMessage,
  { application, project, change }: MessageSubject,
  host: TemplateHost,
): Message {
  const data: JsonObject = {
    app: application,
    appProject: project ?? {},
    context: { ...settings.context },
    secrets: Object.fromEntries(settings.secrets.values),
    change: { ...change },
    serviceType: destination.service,
    recipient: destination.recipient,
  };
  try {
    return templates.reduce<Message>(
      (message, name) => {
        const template = settings.templates.get(name);
        if (template === undefined) throw new Fault('VALUE_INVALID', `template '${name}' is not supported`);
        return template.fill(message, destination.service, data, host);
      },
      { text: '' },
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, settings.secrets.scrub(error.message));
  }
}

/** The same id for the same transition, so that a receiver can detect a duplicate after a crash. */
export function deliveryId(uid: string, key: string, place: number): string {
  return createHash('sha256')
    .update(JSON.stringify([uid, key, place]))
    .digest('hex')
    .slice(0, 32);
}
