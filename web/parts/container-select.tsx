import type { ReactNode } from 'react';

/** Which container of a pod; nothing where there is no choice. */
export function ContainerSelect({
  containers,
  chosen,
  onChoose,
}: {
  readonly containers: readonly string[];
  readonly chosen: string;
  readonly onChoose: (container: string) => void;
}): ReactNode {
  return containers.length > 1 ? (
    <select
      className="select"
      aria-label="Container"
      value={chosen}
      onChange={(event) => {
        onChoose(event.target.value);
      }}
    >
      {containers.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  ) : null;
}
