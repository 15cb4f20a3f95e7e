/** What of a request decides whether it asks for a WebSocket. */
interface UpgradeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Why a request to change the protocol is no WebSocket handshake (RFC 6455, section 4.2.1); undefined if it is one.
 * `ws` closes an incomplete handshake without a reason that we could log or send, so it is checked first.
 */
export function webSocketHandshakeError({ method, headers }: UpgradeRequest): string | undefined {
  const header = (name: string): string => String(headers[name] ?? '');
  if (header('upgrade').toLowerCase() !== 'websocket') return 'only WebSockets are spoken here beside HTTP';
  if (method !== 'GET') return 'a WebSocket is opened with GET';
  if (header('sec-websocket-version') !== '13') return 'the version of the WebSocket must be 13';
  return /^[+/0-9A-Za-z]{22}==$/.test(header('sec-websocket-key'))
    ? undefined
    : 'sec-websocket-key must be 16 bytes in base64';
}
