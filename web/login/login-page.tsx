import { useEffect, useState, type ReactNode, type SyntheticEvent } from 'react';
import { post, RequestError, errorMessage } from '../http/client';
import { clearCache, useLoad } from '../http/load';
import type { ServerSettings } from '../http/wire';
import { Mark } from '../parts/icon';
import { ErrorText } from '../parts/notice';
import { go, useRoute } from '../parts/route';
import { safeReturn } from './safe-return';

export function LoginPage(): ReactNode {
  const { query } = useRoute();
  const settings = useLoad<ServerSettings>('/api/v1/settings');
  const [problem, setProblem] = useState(query.get('sso_error') ?? query.get('has_sso_error') ?? '');
  const [isBusy, setBusy] = useState(false);
  const back = safeReturn(query.get('return_url'));
  useEffect(() => {
    document.title = 'Sign in · Argosy';
  }, []);
  const signIn = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem('');
    post('/api/v1/session', { username: form.get('username'), password: form.get('password') }).then(
      () => {
        clearCache();
        go(back, { replaces: true });
      },
      (error: unknown) => {
        setBusy(false);
        setProblem(
          error instanceof RequestError && error.status === 401
            ? 'Incorrect username or password.'
            : errorMessage(error),
        );
      },
    );
  };
  const sso = settings.value?.oidcConfig?.name ?? settings.value?.dexConfig?.connectors?.[0]?.name;
  const hasLocal = settings.value?.userLoginsDisabled !== true;
  return (
    <div className="sign-in">
      <main className="card panel">
        <h1 className="brand">
          <Mark size={30} />
          Argosy
        </h1>
        <ErrorText text={problem} />
        {sso === undefined ? null : (
          <a className="button primary wide" href={`/auth/login?return_url=${encodeURIComponent(back)}`}>
            Sign in with {sso}
          </a>
        )}
        {sso !== undefined && hasLocal ? (
          <p className="or">
            <span>or</span>
          </p>
        ) : null}
        {hasLocal ? (
          <form className="sign-in-form" onSubmit={signIn}>
            <label className="field">
              Username
              <input name="username" autoComplete="username" autoFocus required spellCheck={false} />
            </label>
            <label className="field">
              Password
              <input name="password" type="password" autoComplete="current-password" required />
            </label>
            <button type="submit" className={`button wide ${sso === undefined ? 'primary' : ''}`} disabled={isBusy}>
              {isBusy ? 'Signing in…' : 'Sign in'}
            </button>
          </form>
        ) : null}
        {hasLocal ? (
          <p className="faint small-text">
            The <code>admin</code> password was printed once, at first start.
          </p>
        ) : null}
        {hasLocal || sso !== undefined ? null : (
          <p className="small-text">
            Nobody can sign in yet. An administrator configures single sign-on (<code>oidc.config</code>) or the local
            admin (<code>admin.enabled: &quot;true&quot;</code>) in <code>argocd-cm</code>.
          </p>
        )}
      </main>
    </div>
  );
}
