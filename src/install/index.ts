/**
 * install: what an installation of Argosy in a cluster consists of. Takes values, a namespace and a version; gives the
 * Kubernetes objects in the order in which they are applied, the rights of each account, and the schema of the values.
 * The chart and the Kustomize base are compared with what it gives. Does no I/O.
 */
export { installValuesSchema, readInstallValues, type InstallValues } from './values.js';
export {
  CONTROLLER,
  INSTALLATION_LABEL,
  RECORD,
  SERVER,
  serverHosts,
  type ComponentName,
  type Installation,
} from './names.js';
export { chartFiles } from './chart-files.js';
export { installationObjects, valuesText } from './manifests.js';
export { rightsOf, type Rights, type Rule } from './rights.js';
