import type { Injector } from './injector.js';
import { ADDRESSES } from './injectors/addresses.js';
import { ARGO_CD } from './injectors/argo-cd.js';
import { DEADLOCKS } from './injectors/deadlocks.js';
import { MORE_ARGO_CD } from './injectors/more-argo-cd.js';
import { MORE_IMAGES } from './injectors/more-images.js';
import { MODELS, NETWORK } from './injectors/network-and-models.js';
import { OPERATORS } from './injectors/operators.js';
import { PLACEMENT_FAULTS } from './injectors/placement.js';
import { PROGRAMS } from './injectors/programs.js';
import { REFUSALS } from './injectors/refusals.js';
import { RENDERING } from './injectors/rendering.js';
import { RIGHTS } from './injectors/rights.js';
import { RUNTIME } from './injectors/runtime.js';
import { SCHEDULING } from './injectors/scheduling.js';
import { SECRETS } from './injectors/secrets.js';
import { SETTINGS_AND_OPERATORS } from './injectors/settings-and-operators.js';
import { IMAGES, STORAGE } from './injectors/storage-and-images.js';

/** Every fault that can be put into the platform. */
export const INJECTORS: readonly Injector[] = [
  ...ARGO_CD,
  ...SECRETS,
  ...SCHEDULING,
  ...STORAGE,
  ...IMAGES,
  ...RUNTIME,
  ...NETWORK,
  ...MODELS,
  ...SETTINGS_AND_OPERATORS,
  ...DEADLOCKS,
  ...REFUSALS,
  ...RENDERING,
  ...PROGRAMS,
  ...PLACEMENT_FAULTS,
  ...MORE_IMAGES,
  ...RIGHTS,
  ...ADDRESSES,
  ...OPERATORS,
  ...MORE_ARGO_CD,
];
