import type { ControlServices } from '../../../control/index.js';
import type { Route } from '../../route/index.js';
import {
  type Access,
  type AccessOptions,
  Authenticator,
  ensureAdminSecret,
  InitialPassword,
  type SecretCache,
} from '../../access/index.js';
import { accountRoutes } from './account-routes.js';
import { authRoutes } from './auth-routes.js';
import { projectTokenRoutes } from './project-token-routes.js';
import { sessionRoutes } from './session-routes.js';

export interface OpenAccess {
  readonly access: Access;
  readonly secrets: SecretCache;
  readonly routes: readonly Route[];
  /** The password of admin, if it was generated now and no Secret keeps it: shown once. */
  readonly newPassword: string | undefined;
}

/**
 * Local accounts, their tokens, tokens of projects, and an OpenID provider where argocd-cm names one; rights by
 * argocd-rbac-cm.
 */
export async function openAccess(
  services: ControlServices,
  { storesInitialPassword = false, ...options }: AccessOptions & { readonly storesInitialPassword?: boolean },
): Promise<OpenAccess> {
  const authenticator = await Authenticator.open(services, options);
  try {
    const newPassword = await ensureAdminSecret(
      authenticator,
      services.clock.now().getTime(),
      storesInitialPassword ? new InitialPassword(services.cluster, services.namespace) : undefined,
    );
    return {
      access: authenticator,
      secrets: authenticator.secrets,
      newPassword,
      routes: [
        ...sessionRoutes(authenticator),
        ...accountRoutes(authenticator, services.namespace),
        ...authRoutes(authenticator),
        ...projectTokenRoutes(authenticator),
      ],
    };
  } catch (error) {
    authenticator.close();
    throw error;
  }
}
