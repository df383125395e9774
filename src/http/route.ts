import type { Request } from 'express';

/**
 * The pattern of the route that took a request, such as `/api/websites/:website/forms/config`: without ids,
 * for logs and metrics. Null when none did.
 */
export function routeOf({ route, originalUrl }: Pick<Request, 'route' | 'originalUrl'>): string | null {
  if (!route) return null;
  // Once an error has left a router, Express has forgotten where that was mounted; the address still knows.
  const segments = originalUrl.split('?', 1)[0]!.split('/');
  const mount = segments.slice(0, 1 - route.path.split('/').length);
  return `${mount.join('/')}${route.path}`;
}
