import { useState, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import { Code } from '../parts/code';
import { Empty, Ready } from '../parts/notice';
import { yamlText } from '../parts/yaml-text';
import { appPath, appQuery, type AppRef } from './path';

interface Manifests {
  readonly revision?: string;
  readonly manifests?: readonly string[] | null;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** What git renders to, object by object, with the file each came from. */
export function ManifestsView({ app, version }: { readonly app: AppRef; readonly version: string }): ReactNode {
  const loaded = useLoad<Manifests>(appPath(app, '/manifests'), appQuery(app), version);
  const [chosen, setChosen] = useState(0);
  return (
    <Ready loaded={loaded} what="the manifests">{({ manifests }) => {
      const objects = (manifests ?? []).map((text) => JSON.parse(text) as Manifest);
      const current = objects[Math.min(chosen, objects.length - 1)];
      if (current === undefined) return <Empty icon="git" title="No manifests">The source renders to nothing.</Empty>;
      return (
        <div className="picker">
          <ul className="picker-list" tabIndex={0} aria-label="Manifests">{objects.map((object, index) => <li key={index}><button type="button" aria-current={object === current} onClick={() => { setChosen(index); }}><span className="cut">{object.metadata.name}</span><span className="faint cut small-text">{object.kind}</span></button></li>)}</ul>
          <Code text={yamlText(current)} label={`${current.kind} ${current.metadata.name ?? ''}`} hasNumbers />
        </div>
      );
    }}</Ready>
  );
}
