/**
 * controller: the `controller` command, and the flags of delivery that `up` shares. Takes the program and the host;
 * gives options for the host's starter. Never starts delivery itself.
 */
export { addController, deliveryOptions, readPort, type DeliveryFlags, withDeliveryFlags } from './command.js';
