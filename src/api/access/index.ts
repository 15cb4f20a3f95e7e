/**
 * access: who sends a request and what they may do. Takes the control plane's settings, Secrets and policies; gives
 * an `Authenticator` (local accounts, tokens, project tokens, OpenID Connect), checks of single rights, and guards
 * that end a stream when the session or the right ends. Never answers a request itself, and never logs a token or a
 * password.
 */
export { ANONYMOUS, type Access, type Subject } from './access.js';
export type { Account } from './accounts/account.js';
export { ARGOCD_SECRET } from './accounts/account-store.js';
export { SERVER_TLS_SECRET, type SecretCache } from './accounts/secret-cache.js';
export { Authenticator, presentedToken, type AccessOptions } from './authenticator.js';
export { Authoriser } from './authoriser.js';
export { ensureAdminSecret } from './ensure-admin-secret.js';
export { InitialPassword } from './initial-password.js';
export { findApplication, rbacNameOf } from './find-application.js';
export { guardAnswer } from './guard.js';
export { addressOf, joinPath, knownAddresses, safeReturnUrl } from './oidc/addresses.js';
export { isShortEnough } from './passwords/passwords.js';
export { permissionDenied } from './permission-denied.js';
export { projectRoles, projectSubject, type ProjectToken } from './rbac/project-roles.js';
export { checkPassword, type PasswordAttempt } from './sessions/sign-in.js';
export {
  ACCOUNT,
  APPLICATION,
  APPLICATION_SET,
  AUDIT_LOG,
  CERTIFICATES,
  CLUSTER,
  CLUSTER_SECRET,
  EVERY_APPLICATION,
  PROJECT,
  REPOSITORY,
  REPOSITORY_SECRET,
  WRITE_REPOSITORY,
  WRITE_REPOSITORY_SECRET,
  ROLE_TOKENS,
  SIGNING_KEYS,
  namedApplication,
  projectOfSet,
  tokensOf,
  type ObjectKind,
} from './object-kinds.js';
export { OUR_ISSUER, textClaim, userOf } from './tokens/claims.js';
export {
  SESSION_COOKIE,
  STATE_COOKIE,
  clearTokenCookies,
  readCookies,
  tokenCookies,
  tokenInCookies,
} from './tokens/cookies.js';
export { crossSiteViolation } from './tokens/cross-site.js';
export { parseToken } from './tokens/jwt.js';
