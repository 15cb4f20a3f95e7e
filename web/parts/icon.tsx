import type { ReactNode } from 'react';

/** Lines on a field of 16 by 16. Every state has a shape of its own, so that nobody needs its colour. */
const PATHS = {
  fleet: 'M2.5 3.5h4v4h-4zM9.5 3.5h4v4h-4zM2.5 9.5h4v3h-4zM9.5 9.5h4v3h-4z',
  triage: 'M2.5 8H6M6 8c3.5 0 2-4.5 5-4.5h2.5M6 8h7.5M6 8c3.5 0 2 4.5 5 4.5h2.5',
  notebook: 'M4 2.5h8a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4zM4 2.5v11M6.5 5.5h4M6.5 8h4M2.5 5h1.5M2.5 8h1.5M2.5 11h1.5',
  flask: 'M6.5 2.5v4L3 12.2a.9.9 0 0 0 .8 1.3h8.4a.9.9 0 0 0 .8-1.3L9.5 6.5v-4M5.5 2.5h5M5 10h6',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  sun:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 ' +
    '12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  system: 'M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3',
  help: 'M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.2v.5M8 11.5v.5M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z',
  exit: 'M9.5 2.5h3a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-3M6.5 11L9.5 8l-3-3M9.5 8h-7',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5L13 6M13 3v3h-3',
  sync: 'M3 6.5a5 5 0 0 1 9-1.5M12.5 2.5V5H10M13 9.5a5 5 0 0 1-9 1.5M3.5 13.5V11H6',
  rollback: 'M3 4.5h6a4 4 0 0 1 0 8H5M5.5 2L3 4.5 5.5 7',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  done: 'M3 8.5l3.5 3.5L13 5',
  download: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  close: 'M4 4l8 8M12 4l-8 8',
  right: 'M6 3.5L10.5 8 6 12.5',
  down: 'M3.5 6L8 10.5 12.5 6',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11',
  tiles: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  git:
    'M5 6v4M5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 6.5A1.5 1.5 ' +
    '0 1 0 11 3.5a1.5 1.5 0 0 0 0 3zM11 6.5C11 9 9 9 6.5 10.5',
  cluster: 'M8 1.5l5.5 3.2v6.6L8 14.5l-5.5-3.2V4.7zM8 8l5.5-3.3M8 8v6.5M8 8L2.5 4.7',
  clock: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  wait: 'M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 6 3 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 3-6 5.5s6 2.5 6 5.5',
  alert: 'M8 2.2l6.2 11H1.8zM8 6.5v3.2M8 11.3v.4',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words; it has no name of its own. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark({ size = 24 }: { readonly size?: number }): ReactNode {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className="mark-ground" />
      <path d="M15 6v14H6.5C8.5 14 11 9.5 15 6z" className="mark-sail" />
      <path d="M17 8c4 3 6.5 7 7.5 12H17z" className="mark-jib" />
      <path d="M5.5 22h21c-1.2 2.6-3 4-5.5 4H11c-2.5 0-4.3-1.4-5.5-4z" className="mark-sail" />
    </svg>
  );
}
