import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

const MASK = '++++++++';
/** Shorter values occur in ordinary text. */
const MIN_LENGTH = 4;

/** The values of `argocd-notifications-secret`: filled in where needed, and scrubbed from everything shown. */
export class Secrets {
  constructor(readonly values: ReadonlyMap<string, string>) {}

  /** Every text with `$name` replaced by what the Secret has under the name. */
  fillIn(value: Json, onMissing: (name: string) => void): Json {
    if (typeof value === 'string') return this.#filled(value, onMissing);
    if (isArray(value)) return value.map((item) => this.fillIn(item, onMissing));
    if (!isObject(value)) return value;
    const filled: JsonObject = {};
    for (const key of Object.keys(value)) put(filled, key, this.fillIn(own(value, key) ?? null, onMissing));
    return filled;
  }

  /** The text without secrets, also in their encoded forms in URLs and headers. */
  scrub(text: string): string {
    let clean = text;
    for (const value of this.values.values()) {
      for (const form of [
        value,
        value.trim(),
        encodeURIComponent(value),
        Buffer.from(value)
          .toString('base64')
          .replace(/(?<!=)=+$/, ''),
        JSON.stringify(value).slice(1, -1),
      ]) {
        if (form.length >= MIN_LENGTH) clean = clean.replaceAll(form, MASK);
      }
    }
    return clean;
  }

  #filled(text: string, onMissing: (name: string) => void): string {
    return text.replaceAll(/\$([\w-]+)/g, (whole, name: string) => {
      const value = this.values.get(name);
      if (value === undefined) onMissing(name);
      return value ?? whole;
    });
  }
}
