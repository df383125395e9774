import type { AuditEvent } from '../audit/audit.js';

/**
 * The event that staff no longer look at the panel as an owner of a team: they ended that, or the session has ended.
 */
export const viewEnded = (teamId: number): AuditEvent => ({
  teamId,
  action: 'team.view_ended',
  subject: ['team', teamId],
});
