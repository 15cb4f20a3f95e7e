import { windowsNow, type FrontDesk } from '../../../control/index.js';
import { projectOf, type KubeObject } from '../../../model/index.js';
import { ApiError } from '../../http/api-error.js';

export function checkSyncWindow(application: KubeObject, desk: FrontDesk): void {
  const project = desk.project(projectOf(application));
  if (project !== undefined && !windowsNow(project, application, desk.now(), true).canSync)
    throw new ApiError('PermissionDenied', 'cannot sync: blocked by sync window');
}
