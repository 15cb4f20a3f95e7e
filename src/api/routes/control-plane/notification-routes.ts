import type { ApplicationService } from '../../../control/index.js';
import { json } from '../../http/index.js';
import { route, type Route } from '../../route/index.js';

type Part = keyof Awaited<ReturnType<ApplicationService['notificationNames']>>;

function listRoute(part: Part, says: string): Route {
  return route('GET', `/api/v1/notifications/${part}`, {
    summary: says,
    tag: 'notifications',
    access: 'signed-in',
    handle: async ({ service }) => json({ items: (await service.notificationNames())[part].map((name) => ({ name })) }),
  });
}

export const NOTIFICATION_ROUTES: readonly Route[] = [
  listRoute('services', 'Whom notifications can go to, by name.'),
  listRoute('templates', 'What notifications say, by name.'),
  listRoute('triggers', 'When notifications are sent, by name.'),
];
