import { useEffect, useRef, useState, type ReactNode } from 'react';
import { remove } from './http/client';
import { clearCache } from './http/load';
import type { UserInfo } from './http/wire';
import { HelpDialog } from './help-dialog';
import { Icon, Mark, type IconName } from './parts/icon';
import { useShortcuts } from './parts/keys';
import { Link } from './parts/link';
import { go } from './parts/route';
import { readTheme, cycleTheme, type Theme } from './parts/theme';

interface NavigationItem {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
}

const NAVIGATION: readonly NavigationItem[] = [
  { name: 'applications', title: 'Fleet', icon: 'fleet', key: 'f' },
  { name: 'triage', title: 'Triage', icon: 'triage', key: 't' },
  { name: 'notebooks', title: 'Notebooks', icon: 'notebook', key: 'n' },
  { name: 'health', title: 'Health lab', icon: 'flask', key: 'h' },
  { name: 'settings', title: 'Settings', icon: 'settings', key: 's' },
];

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'System theme', light: 'Light', dark: 'Dark' };
const THEME_ICON: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' };

/** What is around every page: where one can go, who one is, and the keys that work everywhere. */
export function Shell({
  user,
  place,
  children,
}: {
  readonly user: UserInfo | undefined;
  readonly place: string;
  readonly children: ReactNode;
}): ReactNode {
  const [hasHelp, setHelp] = useState(false);
  const [theme, setTheme] = useState(readTheme);
  const main = useRef<HTMLElement>(null);
  const title = NAVIGATION.find(({ name }) => name === place)?.title ?? 'Argosy';
  useEffect(() => {
    document.title = title === 'Argosy' ? title : `${title} · Argosy`;
  }, [title]);
  useShortcuts({
    ...Object.fromEntries(
      NAVIGATION.map(({ name, key }) => [
        `g ${key}`,
        () => {
          go(`/${name}`);
        },
      ]),
    ),
    '?': () => {
      setHelp(true);
    },
    '/': () => {
      main.current?.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
    },
    T: () => {
      setTheme(cycleTheme());
    },
  });
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <aside className="bar" aria-label="Sections">
        <Link to="/applications" className="brand" label="Argosy: fleet">
          <Mark />
          <span className="words">Argosy</span>
        </Link>
        <nav className="nav" aria-label="Pages">
          {NAVIGATION.map(({ name, title: words, icon }) => (
            <Link key={name} to={`/${name}`} className="nav-item" isCurrent={place === name}>
              <Icon name={icon} />
              <span className="words">{words}</span>
            </Link>
          ))}
        </nav>
        <div className="bar-foot">
          <button
            type="button"
            className="nav-item"
            onClick={() => {
              setTheme(cycleTheme());
            }}
          >
            <Icon name={THEME_ICON[theme]} />
            <span className="sr-only">Theme: </span>
            <span className="words">{THEME_NAMES[theme]}</span>
          </button>
          <button
            type="button"
            className="nav-item"
            onClick={() => {
              setHelp(true);
            }}
          >
            <Icon name="help" />
            <span className="words">Shortcuts</span>
            <kbd>?</kbd>
          </button>
          <UserLine user={user} />
        </div>
      </aside>
      <main className="main" id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      {hasHelp ? (
        <HelpDialog
          onClose={() => {
            setHelp(false);
          }}
        />
      ) : null}
    </div>
  );
}

function UserLine({ user }: { readonly user: UserInfo | undefined }): ReactNode {
  if (user?.username === undefined || user.username === '') return null;
  const leave = (): void => {
    remove('/api/v1/session')
      .catch(() => undefined)
      .finally(() => {
        clearCache();
        go('/login');
      });
  };
  return (
    <div className="bar-user">
      <div className="who">
        <div className="cut">{user.username}</div>
      </div>
      <button type="button" className="icon-button" aria-label="Sign out" onClick={leave}>
        <Icon name="exit" />
      </button>
    </div>
  );
}
