import { useEffect, useState, type ReactNode } from 'react';
import { ApplicationPage } from './application/application-page';
import { FleetPage } from './fleet/fleet-page';
import { HealthLabPage } from './health-lab/health-lab-page';
import { whenSignedOut } from './http/client';
import { useLoad } from './http/load';
import type { UserInfo } from './http/wire';
import { LoginPage } from './login/login-page';
import { NotebookPage } from './notebooks/notebook-page';
import { NotebooksPage } from './notebooks/notebooks-page';
import { Empty } from './parts/notice';
import { Link } from './parts/link';
import { go, useRoute, type Route } from './parts/route';
import { SettingsPage } from './settings/settings-page';
import { Shell } from './shell';
import { TriagePage } from './triage/triage-page';

export function App(): ReactNode {
  const route = useRoute();
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    whenSignedOut(() => {
      setEnded(true);
    });
  }, []);
  const isAtLogin = route.parts[0] === 'login';
  const user = useLoad<UserInfo>(isAtLogin ? undefined : '/api/v1/session/userinfo');
  // A server that lets everybody in says `false`; one that wants to know who comes says nothing.
  const isOut = hasEnded || (user.value !== undefined && user.value.loggedIn === undefined);
  useEffect(() => {
    if (!isAtLogin && isOut)
      go(`/login?return_url=${encodeURIComponent(`${location.pathname}${location.search}`)}`, { replaces: true });
    if (isAtLogin) setEnded(false);
  }, [isAtLogin, isOut]);
  if (isAtLogin) return <LoginPage />;
  // Nothing is shown to somebody who will be asked to sign in a moment later.
  if (isOut || (user.value === undefined && user.error === undefined)) return null;
  return (
    <Shell user={user.value} place={route.parts[0] ?? 'applications'}>
      {pageOf(route)}
    </Shell>
  );
}

function pageOf({ parts, query }: Route): ReactNode {
  const [place, first, second] = parts;
  switch (place) {
    case undefined:
    case 'applications': {
      if (first === undefined) return <FleetPage query={query} />;
      const [namespace, name] = second === undefined ? ['', first] : [first, second];
      return <ApplicationPage key={`${namespace}/${name}`} namespace={namespace} name={name} query={query} />;
    }
    case 'triage':
      return <TriagePage query={query} />;
    case 'notebooks':
      return first === undefined || second === undefined ? (
        <NotebooksPage />
      ) : (
        <NotebookPage key={`${first}/${second}`} namespace={first} name={second} />
      );
    case 'health':
      return <HealthLabPage />;
    case 'settings':
      return <SettingsPage query={query} />;
    default:
      return (
        <div className="page">
          <Empty icon="help" title="Page not found">
            <Link to="/applications" className="link">
              Back to the fleet
            </Link>
          </Empty>
        </div>
      );
  }
}
