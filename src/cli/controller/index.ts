/**
 * controller: CONTRACT.
 */
export { addController, deliveryOptions, readPort, type DeliveryFlags, withDeliveryFlags } from './command.js';
