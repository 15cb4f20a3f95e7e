/**
 * Runs as `node -e` in the network of a pod, outside of everything else that the pod has: opens sockets there and hands
 * them to the server, because a socket belongs to the network in which it was opened. A constant: what it opens comes
 * as messages of the server.
 *
 * `{listen: [[HOST, PORT]...]}` is answered by one message with a server for each, in order, or `{failed}`;
 * `{connect: PORT, id}` by `{id}` with a connection, or `{id, code, failed}`.
 */
export const NETWORK_HELPER = `'use strict';
const net = require('node:net');
const send = (message, handle) => process.send(message, handle, () => undefined);
function listen(places, index) {
  if (index === places.length) return send({ listening: true });
  const [host, port] = places[index];
  const server = net.createServer({ pauseOnConnect: true });
  server.on('error', (error) => send({ failed: error.message }));
  const handOver = () => {
    process.send({ place: index }, server, () => {
      server.close();
      listen(places, index + 1);
    });
  };
  server.listen(port, host, handOver);
}
function connect(port, id) {
  const socket = net.connect({ host: '127.0.0.1', port });
  const failed = (error) => send({ id, code: error.code, failed: error.message });
  socket.once('error', failed);
  socket.once('connect', () => { socket.off('error', failed); send({ id }, socket); });
}
process.on('message', (message) => {
  if (message.listen) listen(message.listen, 0);
  else connect(message.connect, message.id);
});
process.on('disconnect', () => process.exit(0));
send({ ready: true });
`;
