/**
 * controller: the `controller` command, the flags of delivery that `up` shares, and those of
 * control plane and sources that `serve` shares. Takes the program and the host;
 * gives options for the host's starter. Never starts delivery itself.
 */
export { auditFile, withAudit, withAuditFlags, type AuditFlags } from './audit-flags.js';
export { addController, deliveryOptions, readPort, type DeliveryFlags, withDeliveryFlags } from './command.js';
export { serviceOptions, withControlPlaneFlags, withSourceFlags, type ServiceFlags } from './service-flags.js';
