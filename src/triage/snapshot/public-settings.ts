import { type Json, type JsonObject, put } from '../../model/json/index.js';

/** Settings that say where a server is: they are no secrets, wherever somebody keeps them. */
const PLACE_WORDS = new Set(['host', 'hostname', 'port']);
const ADDRESS_WORDS = new Set(['url', 'uri', 'dsn', 'addr', 'address', 'endpoint', 'server']);

const HOST = /^[a-z0-9](?:[-a-z0-9.]{0,250}[a-z0-9])?$/i;
const PORT = /^\d{1,5}$/;
const ADDRESS =
  /^(?:jdbc:)?([a-z][a-z0-9+.-]{1,20}):\/\/(?:[^/@\s]*@)?([a-z0-9][-a-z0-9.]{0,250})(?::(\d{1,5}))?(?=[/?#;]|$)/i;

/**
 * What may be kept of a secret setting: a host, a port, or protocol, host and port of an address; undefined for
 * everything else, also where a value does not have the form that its key promises.
 */
export function publicSetting(key: string, value: string): string | undefined {
  const word = lastWord(key);
  if (PLACE_WORDS.has(word)) return (word === 'port' ? PORT : HOST).test(value) ? value : undefined;
  if (!ADDRESS_WORDS.has(word)) return undefined;
  const [whole, protocol = '', host = '', port] = ADDRESS.exec(value) ?? [];
  // A password may hold any character: where the end of the user part is in doubt nothing is kept.
  if (whole === undefined || value.slice(whole.length).includes('@')) return undefined;
  return `${protocol}://${host}${port === undefined ? '' : `:${port}`}`;
}

/** `DB_HOST`, `db.host`, `db-host` and `dbHost` end with the same word. */
function lastWord(key: string): string {
  return (
    key
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .split(/[_.-]+/)
      .at(-1) ?? ''
  ).toLowerCase();
}

/** Adds what may be kept of a setting to the settings of a Secret. */
export function putPublicSetting(settings: JsonObject, key: string, text: Json | undefined): void {
  const known = typeof text === 'string' ? publicSetting(key, text.trim()) : undefined;
  if (known !== undefined) put(settings, key, known);
}
