import type { MouseEvent, ReactNode } from 'react';
import { go } from './route';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly label?: string;
  readonly isCurrent?: boolean;
}

/** An ordinary link that does not load the page again; with a modifier it opens where the browser says. */
export function Link({ to, children, className, label, isCurrent }: LinkProps): ReactNode {
  const follow = (event: MouseEvent): void => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={to}
      onClick={follow}
      className={className}
      aria-label={label}
      aria-current={isCurrent === true ? 'page' : undefined}
    >
      {children}
    </a>
  );
}
