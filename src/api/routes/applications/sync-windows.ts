import { syncWindowState, type ApplicationService } from '../../../control/index.js';
import { projectOf } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../http/index.js';

export function checkSyncWindow(application: KubeObject, desk: ApplicationService): void {
  const project = desk.project(projectOf(application));
  if (project !== undefined && !syncWindowState(project, application, desk.now(), true).canSync)
    throw new ApiError('PermissionDenied', 'cannot sync: blocked by sync window');
}
