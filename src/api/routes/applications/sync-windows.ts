import { syncWindowState } from '../../../control/index.js';
import { projectOf } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../http/index.js';
import type { ReadServices } from '../../route/index.js';

export function checkSyncWindow(application: KubeObject, services: ReadServices): void {
  const project = services.projects.find(projectOf(application));
  if (project !== undefined && !syncWindowState(project, application, services.clock.now().getTime(), true).canSync)
    throw new ApiError('PermissionDenied', 'cannot sync: blocked by sync window');
}
