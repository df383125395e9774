import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Table } from '../../parts/layout/table.js';
import { useMayManage } from '../../session.js';
import { PlaceForm } from './place-form.js';
import { Recipients } from './recipients.js';
import styles from './recipients.module.css';
import type { TabProps } from './use-draft.js';

const PLACEMENTS = graphql(`
  query placementsOfForm($id: ID!) {
    form(id: $id) {
      links {
        enabled
        recipients
        recipientRules {
          recipients
        }
        website {
          id
          name
        }
      }
    }
  }
`);

/** The websites that the form is on, and where its e-mails go. */
export function WebsitesTab(props: TabProps) {
  const t = useText();
  const { id, teamId } = props.form;
  const mayManage = useMayManage(teamId);
  const placements = useQuery({
    queryKey: ['form', id, 'placements'],
    queryFn: async ({ signal }) => (await request(PLACEMENTS, { id }, signal)).form.links,
  });
  return (
    <>
      <Loaded query={placements}>
        {(links) => (
          <>
            {links.length === 0 ? (
              <EmptyState title={t('form.websites.none')} />
            ) : (
              <Table
                label={t('form.tab.websites')}
                headings={[t('form.websites.name'), t('form.websites.state'), t('form.websites.own')]}
              >
                {links.map(({ enabled, recipients, recipientRules, website }) => (
                  <tr key={website.id}>
                    <td>
                      <Link
                        to="/websites/$websiteId"
                        params={{ websiteId: website.id }}
                        search={{ tab: 'forms' }}
                      >
                        {website.name}
                      </Link>
                    </td>
                    <td>{t(enabled ? 'form.websites.shown' : 'form.websites.hidden')}</td>
                    <td>
                      {recipients.join(', ')}
                      {recipientRules.length > 0 && <p>{t('rules.own', { count: recipientRules.length })}</p>}
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            {mayManage && (
              <div className={styles.place}>
                <PlaceForm form={props.form} placed={links.map(({ website }) => website.id)} />
              </div>
            )}
          </>
        )}
      </Loaded>
      <Recipients {...props} />
    </>
  );
}
