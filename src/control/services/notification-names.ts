import type { Cluster } from '../../cluster/index.js';
import { loadNotifySettings } from '../notify/index.js';

export interface NotificationNames {
  readonly services: readonly string[];
  readonly templates: readonly string[];
  readonly triggers: readonly string[];
}

/** What notifications are made of, as their settings have it now; nothing but names. */
export async function notificationNames(cluster: Cluster, namespace: string): Promise<NotificationNames> {
  const { services, templates, triggers } = await loadNotifySettings(cluster, namespace);
  return {
    services: [...services.keys()].sort(),
    templates: [...templates.keys()].sort(),
    triggers: [...triggers.keys()].sort(),
  };
}
