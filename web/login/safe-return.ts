/** Only a path of this page is gone back to, never another address. */
export function safeReturn(asked: string | null): string {
  return asked?.startsWith('/') === true &&
    !asked.startsWith('//') &&
    !asked.includes('\\') &&
    !asked.startsWith('/login')
    ? asked
    : '/applications';
}
