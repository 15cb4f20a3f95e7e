import type { Injector } from '../injection/injector.js';
import { ADDRESSES } from './addresses.js';
import { ARGO_CD } from './argo-cd.js';
import { SYNCS } from './syncs.js';
import { DEADLOCKS } from './deadlocks.js';
import { MORE_ARGO_CD } from './more-argo-cd.js';
import { MORE_IMAGES } from './more-images.js';
import { MODELS, NETWORK } from './network-and-models.js';
import { OPERATORS } from './operators.js';
import { PLACEMENT_FAULTS } from './placement.js';
import { PROGRAMS } from './programs.js';
import { REJECTIONS } from './rejections.js';
import { RENDERING } from './rendering.js';
import { RIGHTS } from './rights.js';
import { RUNTIME } from './runtime.js';
import { SCHEDULING } from './scheduling.js';
import { EXTERNAL_SECRETS } from './external-secrets.js';
import { SECRETS } from './secrets.js';
import { SETTINGS_AND_OPERATORS } from './settings-and-operators.js';
import { IMAGES, STORAGE } from './storage-and-images.js';

/** Every fault that can be put into the platform. */
export const INJECTORS: readonly Injector[] = [
  ...ARGO_CD,
  ...SYNCS,
  ...SECRETS,
  ...EXTERNAL_SECRETS,
  ...SCHEDULING,
  ...STORAGE,
  ...IMAGES,
  ...RUNTIME,
  ...NETWORK,
  ...MODELS,
  ...SETTINGS_AND_OPERATORS,
  ...DEADLOCKS,
  ...REJECTIONS,
  ...RENDERING,
  ...PROGRAMS,
  ...PLACEMENT_FAULTS,
  ...MORE_IMAGES,
  ...RIGHTS,
  ...ADDRESSES,
  ...OPERATORS,
  ...MORE_ARGO_CD,
];
