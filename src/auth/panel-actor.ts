import type { Actor } from '../audit/audit.js';
import type { ViewerContext } from '../graphql/context.js';

/** Builds the audit trail's actor of a change through the panel. */
export const panelActor = ({ viewer, client }: Pick<ViewerContext, 'viewer' | 'client'>): Actor => ({
  userId: viewer.userId,
  channel: 'panel',
  ip: client.ip,
});
