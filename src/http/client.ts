import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/** Whether the proxy at an address, the `distance`-th from us, may speak for its clients. */
export type Trust = (address: string, distance: number) => boolean;

/** @param trust nobody, how many proxies stand in front, or which addresses they have */
export function trustOf(trust: false | number | string): Trust {
  if (trust === false) return () => false;
  if (typeof trust === 'number') return (_address, distance) => distance < trust;
  return proxyaddr.compile(trust.split(',').map((one) => one.trim()));
}

/** The address of whoever asks, and the host that it asked for, as far as trusted proxies tell. */
export function clientOf(req: IncomingMessage, trust: Trust): { address: string; host: string } {
  const { remoteAddress } = req.socket;
  // A request that was broken off has no address any more.
  if (remoteAddress === undefined) return { address: '', host: '' };
  const asked = req.headers.host ?? '';
  if (!trust(remoteAddress, 0)) return { address: remoteAddress, host: asked };
  const forwarded = String(req.headers['x-forwarded-host'] ?? '')
    .split(',', 1)[0]
    ?.trim();
  return { address: proxyaddr(req, trust), host: forwarded || asked };
}
