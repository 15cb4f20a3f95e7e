/**
 * WebSockets, both ends: opens one as a client, through a proxy if need be, and takes requests for one on a server of
 * HTTP. Says why a handshake or a server's refusal came about; never reads or writes a message.
 */
export { UpgradeRejected, openWebSocket } from './open-web-socket.js';
export { handleUpgrades, type Upgrade } from './upgrades.js';
export type { WebSocket } from 'ws';
