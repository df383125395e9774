import { Link } from '@tanstack/react-router';
import { useText } from '../language.js';
import { Page } from '../parts/page.js';
import { useViewer } from '../session.js';

/** The teams in view. */
export function TeamsPage() {
  const t = useText();
  const { teams, staff } = useViewer();
  return (
    <Page title={t('teams.title')} actions={staff && <Link to="/teams/new">{t('teams.new')}</Link>}>
      <ul>
        {teams.map(({ team: { id, name } }) => (
          <li key={id}>
            <Link to="/teams/$teamId" params={{ teamId: id }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}
