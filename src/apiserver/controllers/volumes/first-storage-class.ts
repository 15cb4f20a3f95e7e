import { ApiError } from '../../errors/index.js';
import type { Controller } from '../../controller-runtime/index.js';
import { DEFAULT_CLASS, SIMULATED } from '../../scheduler/index.js';
import { STORAGE_CLASSES } from '../../../model/resources/index.js';

/** A cluster without any storage class gets one that claims use which name none. */
export const firstStorageClass: Controller = {
  name: 'storage-class-bootstrap',
  start({ client, log }) {
    if (client.list(STORAGE_CLASSES).length === 0) {
      client
        .create(STORAGE_CLASSES, {
          kind: 'StorageClass',
          apiVersion: 'storage.k8s.io/v1',
          metadata: { name: 'standard', annotations: { [DEFAULT_CLASS]: 'true' } },
          provisioner: SIMULATED,
          reclaimPolicy: 'Delete',
          volumeBindingMode: 'WaitForFirstConsumer',
          allowVolumeExpansion: true,
        })
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) log.error('storage-class-bootstrap', { error });
        });
    }
    return { close: () => undefined };
  },
};
