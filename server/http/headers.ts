import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { isHttps } from '../config.ts';
import type { Config } from '../config.ts';

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

const features = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];
const permissions = features.map((name) => `${name}=()`).join(', ');

export function safeHeaders(config: Config): Middleware {
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: policy(config) },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // Subdomains may not support HTTPS.
    strictTransportSecurity: isHttps(config) && { maxAge: 31_536_000, includeSubDomains: false },
  });
  return (request, response, next) => {
    response.setHeader('Permissions-Policy', permissions);
    protect(request, response, next);
  };
}

const policy = (config: Config) => ({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'blob:', 'data:'],
  mediaSrc: ["'self'", 'blob:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'", (request: IncomingMessage) => socketsOf(config, request)],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ['svelte-trusted-html', 'parley-worker'],
});

/** The origins of WebSockets, because not every browser counts them as 'self'. */
function socketsOf({ PUBLIC_URL }: Config, { headers: { host = '' } }: IncomingMessage): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.replace(/^http/, 'ws');
  // The client controls the Host header, so only a valid host gets into the policy.
  return /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host)
    ? `ws://${host} wss://${host}`
    : "'self'";
}
