import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from './language.js';
import { EmptyState } from './parts/feedback/empty-state.js';
import { invitationsQuery } from './received-invitations.js';

/** Says that the viewer belongs to no team, and leads to the invitations that wait for an answer. */
export function NoTeam() {
  const t = useText();
  const { data: invitations = [] } = useQuery(invitationsQuery);
  return (
    <EmptyState title={t('noTeam.title')}>
      {invitations.length > 0 && (
        <Link to="/account">{t('noTeam.invitations', { count: invitations.length })}</Link>
      )}
    </EmptyState>
  );
}
