/**
 * formats: small text and byte formats without I/O: durations, times and time zones, cron, quantities of text, globs,
 * URLs of repositories, semver, tar, DER and PEM, PGP keys, and the tree of files. Takes text or bytes; gives values or
 * a Fault.
 */
export { civilTime, type CivilTime, DAY_NAMES, MONTH_NAMES, unixTime } from './calendar.js';
export { isAhead } from './clock-skew.js';
export {
  TAG,
  bits,
  boolean,
  der,
  evenHex,
  integer,
  octets,
  oid,
  readDer,
  sequence,
  setOf,
  tagged,
  type DerNode,
  utf8,
} from './der.js';
export { nextTime, parseCron, type CronSchedule } from './cron.js';
export { formatDuration, humanDuration, parseDuration } from './duration.js';
export { fnv1a } from './fnv.js';
export { isGlob, matchesGlob } from './glob.js';
export { addressOfLink, isHarmlessLink } from './link.js';
export { PathPattern } from './path-pattern.js';
export { readPem, writePem } from './pem.js';
export { readPgpKey, type PgpKey } from './pgp-key.js';
export { normalizeUrl } from './repository-url.js';
export { parseSemverRange, satisfies, type SemverRange } from './semver-range.js';
export { compareSemver, parseSemver, semverText, type Semver } from './semver.js';
export {
  TAR_BLOCK,
  isEmptyBlock,
  isTar,
  paxRecords,
  readTarHeader,
  tarText,
} from './tar.js';
export {
  formatMicroTime,
  formatTime,
  instantOf,
  isZeroTime,
  millisecondsOf,
  parseMicroTime,
  parseTime,
} from './time.js';
export { exactZoneOffset, firstTransition, isTimeZone, zoneOffset } from './time-zone.js';
export { TrustedProxies } from './trusted-proxies.js';
export type { Tree, TreeFile, TreeFolder, TreeLink, TreeNode, TreeSubmodule } from './tree.js';
