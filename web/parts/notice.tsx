import type { ReactNode } from 'react';
import { RequestError, errorMessage } from '../http/client';
import { Icon, type IconName } from './icon';

/** Nothing to show, and what that means. */
export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <div className="empty-text">{children}</div>}
    </div>
  );
}

/** What went wrong, in the words of the server, and a way to try again. */
export function ErrorNotice({
  error,
  onRetry,
  what,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly what: string;
}): ReactNode {
  const isForbidden = error instanceof RequestError && error.status === 403;
  return (
    <div className="empty" role="alert">
      <span className="empty-icon tone-bad">
        <Icon name="alert" size={22} />
      </span>
      <p className="empty-title">{isForbidden ? `Not found, or no access to ${what}` : `Cannot load ${what}`}</p>
      <div className="empty-text">{errorMessage(error)}</div>
      {onRetry === undefined || isForbidden ? null : (
        <button type="button" className="button" onClick={onRetry}>
          <Icon name="refresh" />
          Try again
        </button>
      )}
    </div>
  );
}

/** A failure in words, above what it is about; nothing while there is none. */
export function ErrorText({ text }: { readonly text: string }): ReactNode {
  return text === '' ? null : (
    <div className="problem" role="alert">
      <Icon name="alert" />
      <span>{text}</span>
    </div>
  );
}

/** Grey bars in the shape of what is coming. */
export function LoadingRows({ rows = 6, label }: { readonly rows?: number; readonly label: string }): ReactNode {
  return (
    <div className="waiting" role="status">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={`waiting-row w${(index * 7) % 5}`} />
      ))}
    </div>
  );
}

/** One of the three: still coming, failed, or there. An older answer stays visible while a new one is asked for. */
export function Ready<T>({
  loaded,
  what,
  rows,
  children,
}: {
  readonly loaded: { readonly value: T | undefined; readonly error: unknown; readonly reload: () => void };
  readonly what: string;
  readonly rows?: number;
  readonly children: (value: T) => ReactNode;
}): ReactNode {
  if (loaded.value !== undefined) return children(loaded.value);
  if (loaded.error !== undefined) return <ErrorNotice error={loaded.error} what={what} onRetry={loaded.reload} />;
  return <LoadingRows label={`Loading ${what}`} {...(rows === undefined ? {} : { rows })} />;
}
