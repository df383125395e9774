import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Loaded } from '../../parts/loaded.js';
import { placementsQuery } from '../../placements.js';
import { useMayManage } from '../../session.js';
import { AddForm } from './forms/add-form.js';
import { PlacementForm } from './forms/placement-form.js';
import { PlacementItem } from './forms/placement-item.js';
import styles from './forms.module.css';
import type { Website } from './queries.js';

const route = getRouteApi('/shell/websites/$websiteId');

/** The forms on a website, and how each stands there. */
export function FormsTab({ website }: { website: Website }) {
  const t = useText();
  const { placement: edited } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMayManage(website.teamId);
  const placements = useQuery(placementsQuery(website.id));
  const [last, setLast] = useState<string | null>(null);
  const edit = (placement: string | undefined) => {
    setLast(edited ?? null);
    void navigate({
      to: '.',
      search: (given) => ({ ...given, placement }),
      // What closes the editor is *Save* or *Cancel*.
      ignoreBlocker: placement === undefined,
    });
  };
  return (
    <Loaded query={placements}>
      {(list) => (
        <div className={styles.forms}>
          {list.length === 0 && (
            <EmptyState title={t('placement.none')}>
              <p>{t(mayManage ? 'placement.first' : 'placement.firstByOthers')}</p>
            </EmptyState>
          )}
          {list.length > 0 && (
            <ul className={styles.list}>
              {list.map((placement) => (
                <li key={placement.form.id}>
                  <PlacementItem
                    websiteId={website.id}
                    placement={placement}
                    mayManage={mayManage && placement.form.id !== edited}
                    wasEdited={placement.form.id === last}
                    onEdit={() => edit(placement.form.id)}
                  />
                  {mayManage && placement.form.id === edited && (
                    <PlacementForm website={website} placement={placement} onClose={() => edit(undefined)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {mayManage && (
            <div className={styles.add}>
              <AddForm website={website} placed={list.map(({ form }) => form.id)} onAdded={edit} />
              <Link to="/forms" search={{ team: website.teamId, create: true }}>
                {t('placement.create')}
              </Link>
              <Link to="/forms" search={{ team: website.teamId }}>
                {t('placement.allForms')}
              </Link>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}
