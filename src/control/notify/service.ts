/**
 * Notification services: a webhook or a chat. Secrets are filled in, so values never leave the senders in this folder.
 */
export type Service = WebhookService | SlackService;

export interface WebhookService {
  readonly kind: 'webhook';
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly basicAuth?: { readonly username: string; readonly password: string };
  readonly skipsVerification: boolean;
}

export interface SlackService {
  readonly kind: 'slack';
  readonly apiUrl: string;
  readonly token: string;
  readonly username: string;
  readonly icon: string;
  readonly skipsVerification: boolean;
  readonly disablesUnfurl: boolean;
}

/** The destination of a message: service and recipient. */
export interface Destination {
  readonly service: string;
  readonly recipient: string;
}

/** A message ready to be sent. */
export interface Message {
  readonly text: string;
  readonly webhook?: { readonly method: string; readonly path: string; readonly body: string };
  readonly slack?: {
    readonly username: string;
    readonly icon: string;
    readonly attachments: string;
    readonly blocks: string;
  };
}
