import type { ControlServices } from '../../../control/index.js';
import { json } from '../../http/index.js';
import { route, type Route } from '../../route/index.js';

type Part = keyof Awaited<ReturnType<ControlServices['settings']['notificationNames']>>;

function listRoute(part: Part, summary: string): Route {
  return route('GET', `/api/v1/notifications/${part}`, {
    summary,
    tag: 'notifications',
    access: 'signed-in',
    handle: async ({ services }) =>
      json({ items: (await services.settings.notificationNames())[part].map((name) => ({ name })) }),
  });
}

export const NOTIFICATION_ROUTES: readonly Route[] = [
  listRoute('services', 'The notification services, by name.'),
  listRoute('templates', 'The notification templates, by name.'),
  listRoute('triggers', 'The notification triggers, by name.'),
];
