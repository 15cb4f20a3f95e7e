import { Fault } from '../../../model/faults/index.js';
import { imageText, parseImage } from '../images/image-reference.js';
import type { Place } from './pod-network.js';
import { matches } from '../images/image-rules.js';

/** An image that stands for this machine: its containers run here, as processes. */
export interface AllowedImage {
  /** `registry/repository:tag`, where `*` stands for any text; Docker Hub's short names are understood. */
  readonly image: string;
  /** What runs where the container names no command. */
  readonly program?: readonly string[];
  /** Folders that the program needs beside the system's own; read-only. */
  readonly folders?: readonly string[];
  /** The namespaces whose pods may run it; all where it names none. */
  readonly namespaces?: readonly string[];
  /** It may run where this machine cannot give a pod all walls; the pod's conditions say which it lacks. */
  readonly withMissingWalls?: true;
}

/** Reads `IMAGE` or `IMAGE=PROGRAM`, as a flag says it. */
export function readAllowedImage(text: string): AllowedImage {
  const [image = '', ...rest] = text.split('=');
  const program = rest.join('=');
  if (image === '' || (rest.length > 0 && !program.startsWith('/')))
    throw new Fault('VALUE_INVALID', `${JSON.stringify(text)} is not an image, or an image with =/path/of/a/program`, {
      where: '--process-image',
    });
  return {
    image,
    ...(program === '' ? {} : { program: [program], folders: [program.slice(0, program.lastIndexOf('/')) || '/'] }),
  };
}

/** Reads `HOST:PORT`, as a flag says it. */
export function readPlace(text: string): Place {
  const [, host = '', port = ''] = /^([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new Fault('VALUE_INVALID', `${JSON.stringify(text)} is not an address such as git.example.com:443`, {
      where: '--process-network',
    });
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** The entry that lets this image run in a namespace; undefined: it does not. */
export function allowedImage(
  allowed: readonly AllowedImage[],
  image: string,
  namespace: string,
): AllowedImage | undefined {
  const reference = parseImage(image);
  if (!reference) return undefined;
  return allowed.find(
    (entry) =>
      (entry.namespaces?.includes(namespace) ?? true) && matches(fullPattern(entry.image), imageText(reference)),
  );
}

/** Patterns may leave out what names leave out. */
function fullPattern(pattern: string): string {
  const slash = pattern.indexOf('/');
  const first = pattern.slice(0, Math.max(0, slash));
  const hasHost = slash > 0 && /[.:*]|^localhost$/.test(first);
  const full = hasHost ? pattern : `docker.io/${slash < 0 ? 'library/' : ''}${pattern}`;
  return full.slice(full.lastIndexOf('/')).includes(':') || full.endsWith('*') ? full : `${full}:latest`;
}
