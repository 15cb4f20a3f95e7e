import type { Overload } from './overload.js';
import { ADDRESSES } from './functions/addresses.js';
import { CONVERSIONS } from './functions/conversions.js';
import { LISTS } from './functions/lists.js';
import { NAMED_FORMATS } from './functions/formats.js';
import { OPERATORS } from './functions/operators.js';
import { OPTIONALS } from './functions/optionals.js';
import { QUANTITIES } from './functions/quantities.js';
import { REGEX } from './functions/regex.js';
import { SEMVERS } from './functions/semvers.js';
import { STRINGS } from './functions/strings.js';
import { TIMES } from './functions/times.js';
import { URLS } from './functions/urls.js';

function byName(method: boolean): ReadonlyMap<string, readonly Overload[]> {
  const table = new Map<string, Overload[]>();
  const all = [
    OPERATORS,
    CONVERSIONS,
    STRINGS,
    REGEX,
    LISTS,
    TIMES,
    OPTIONALS,
    QUANTITIES,
    URLS,
    ADDRESSES,
    NAMED_FORMATS,
    SEMVERS,
  ].flat();
  for (const overload of all) {
    if (overload.method !== method) continue;
    const same = table.get(overload.name);
    if (same === undefined) table.set(overload.name, [overload]);
    else same.push(overload);
  }
  return table;
}

/** Every function of Kubernetes' CEL environment (1.34), by name. */
export const FUNCTIONS = byName(false);
export const METHODS = byName(true);
