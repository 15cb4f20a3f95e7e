import type { GoFunctions } from '../template/value/go-function.js';
import { ARITHMETIC } from './numbers/arithmetic.js';
import { CERTIFICATES } from './certificates.js';
import { DATES } from './dates.js';
import { DICTS } from './dicts.js';
import { ENCODING } from './encoding.js';
import { FLOW } from './flow.js';
import { VERSIONS } from './go-version.js';
import { DEFAULTS, KINDS } from './kinds.js';
import { LISTS } from './lists.js';
import { PATHS } from './paths.js';
import { REGEXES } from './text/regexes.js';
import { SECRETS } from './secrets.js';
import { STRING_FUNCTIONS } from './text/strings.js';
import { STRUCTURED } from './structured.js';
import { URLS } from './network/urls.js';

/** Every function that Helm 4 gives to templates: sprig without the environment, and Helm's own. */
export const HELM_FUNCTIONS: GoFunctions = {
  ...STRING_FUNCTIONS,
  ...ENCODING,
  ...ARITHMETIC,
  ...LISTS,
  ...DICTS,
  ...DEFAULTS,
  ...KINDS,
  ...DATES,
  ...VERSIONS,
  ...REGEXES,
  ...PATHS,
  ...URLS,
  ...SECRETS,
  ...CERTIFICATES,
  ...STRUCTURED,
  ...FLOW,
};
