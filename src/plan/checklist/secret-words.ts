/** Ends of names whose value only few may know, without separators and in small letters. */
const ENDS = [
  'password',
  'passwd',
  'passphrase',
  'token',
  'apikey',
  'privatekey',
  'secretkey',
  'accesskey',
  'secretaccesskey',
  'clientsecret',
  'accountkey',
  'encryptionkey',
];

/** Whether a field or variable of this name holds a secret: `adminPassword`, `DB_PASSWORD`, `client-secret`. */
export function namesSecret(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return ENDS.some((end) => plain.endsWith(end));
}

/** Forms that only secrets have, whatever they are called. */
const FORMS = [
  /-----BEGIN (?:[A-Z]{2,10} )?(?:ENCRYPTED )?PRIVATE KEY-----/,
  /(?:^|[^A-Z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?:$|[^A-Z0-9])/,
  /(?:^|[^A-Za-z0-9_])gh[oprsu]_[A-Za-z0-9]{36}/,
  /(?:^|[^A-Za-z0-9_])glpat-[A-Za-z0-9_-]{20}/,
  /(?:^|[^A-Za-z0-9_])xox[abeprs]-[A-Za-z0-9]{10}/,
  /(?:^|[^A-Za-z0-9_])hvs\.[A-Za-z0-9_-]{24}/,
  /:\/\/[^\s:/@]{1,256}:[^\s:/@${}()<>]{1,256}@/,
];

/** Whether a text holds a private key, a well-known token, or an address with a password. */
export function looksSecret(text: string): boolean {
  return FORMS.some((form) => form.test(text));
}
