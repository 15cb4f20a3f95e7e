import type { Cluster } from '../../cluster/index.js';
import { loadNotifySettings } from '../notify/index.js';

export interface NotificationNames {
  readonly services: readonly string[];
  readonly templates: readonly string[];
  readonly triggers: readonly string[];
}

/** The names of the configured services, templates and triggers. */
export async function notificationNames(cluster: Cluster, namespace: string): Promise<NotificationNames> {
  const { services, templates, triggers } = await loadNotifySettings(cluster, namespace);
  return {
    services: [...services.keys()].sort(),
    templates: [...templates.keys()].sort(),
    triggers: [...triggers.keys()].sort(),
  };
}
