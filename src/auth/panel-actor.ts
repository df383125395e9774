import type { Actor } from '../audit/audit.js';
import type { ViewerContext } from '../graphql/context.js';

/** Whoever changes something through the panel, as it is recorded. */
export const panelActor = ({ viewer, client }: Pick<ViewerContext, 'viewer' | 'client'>): Actor => ({
  userId: viewer.userId,
  channel: 'panel',
  ip: client.ip,
});
