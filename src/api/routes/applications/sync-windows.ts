import { syncWindowState, type ApplicationService } from '../../../control/index.js';
import { projectOf, type KubeObject } from '../../../model/index.js';
import { ApiError } from '../../http/api-error.js';

export function checkSyncWindow(application: KubeObject, desk: ApplicationService): void {
  const project = desk.project(projectOf(application));
  if (project !== undefined && !syncWindowState(project, application, desk.now(), true).canSync)
    throw new ApiError('PermissionDenied', 'cannot sync: blocked by sync window');
}
