import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, lazyRouteComponent } from '@tanstack/react-router';
import { memo, Suspense, useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { graphql, request, requestAfterPaint } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { MoreIcon } from '../../../parts/icons/icons.js';
import { Menu, MenuItem } from '../../../parts/overlays/menu.js';
import { Popover } from '../../../parts/overlays/popover.js';
import { say, sayOnce } from '../../../parts/overlays/toasts.js';
import { useMayChange } from '../../../session.js';
import styles from '../filters/folders.module.css';
import { type Filter, type InboxSearch, isSearchable, searchOf } from '../search.js';
import { SAVE_VIEW, VIEWS, VIEWS_KEY, type View } from './view-queries.js';

const DELETE = graphql(`
  mutation deleteView($id: ID!) {
    deleteView(id: $id)
  }
`);

const SaveDialog = lazyRouteComponent(() => import('./view-dialogs.js'), 'SaveDialog');
const RenameDialog = lazyRouteComponent(() => import('./view-dialogs.js'), 'RenameDialog');

/** Loads the dialogs once a button that opens one is about to be pressed: they come at once then. */
const loadAhead = () => {
  void SaveDialog.preload?.();
  void RenameDialog.preload?.();
};
const AHEAD = { onHoverStart: loadAhead, onFocus: loadAhead };

type Props = {
  search: InboxSearch;
  /** What the list shows. */
  filter: Filter;
};

/** The views of the inbox that the account has saved, what renames and deletes them, and what saves another one. */
export const Views = memo(function Views({ search, filter }: Props) {
  const t = useText();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [isSaving, setSaving] = useState(false);
  const [renamed, setRenamed] = useState<View | null>(null);
  const { data: views = [] } = useQuery({
    queryKey: VIEWS_KEY,
    queryFn: async ({ signal }) => (await requestAfterPaint(VIEWS, {}, signal)).savedViews,
  });
  const change = {
    onError: (error: Error) => say(describeError(error, t).text),
    onSettled: () => client.invalidateQueries({ queryKey: VIEWS_KEY }),
  };
  const saveAgain = useMutation({
    mutationFn: ({ name, filter: saved, lastDays }: View) =>
      request(SAVE_VIEW, { name, filter: saved as Filter, lastDays }),
    ...change,
  });
  const remove = useMutation({
    mutationFn: ({ id }: View) => request(DELETE, { id }),
    onSuccess: (answer, deleted) =>
      sayOnce(answer, t('views.deleted', { name: deleted.name }), () => saveAgain.mutate(deleted)),
    ...change,
  });
  const maySave = mayChange && isSearchable(search.q);
  if (views.length === 0 && !maySave) return null;
  return (
    <nav aria-label={t('views.title')} className={styles.views}>
      <h2>{t('views.title')}</h2>
      <ul>
        {views.map((view) => (
          <li key={view.id} className={styles.view}>
            <Link
              to="/inbox"
              search={() => searchOf(view.filter as Filter, view.lastDays)}
              activeOptions={{ includeSearch: true, explicitUndefined: true }}
              className={styles.link}
            >
              <span dir="auto">{view.name}</span>
            </Link>
            {mayChange && (
              <MenuTrigger>
                <Button
                  variant="quiet"
                  isSquare
                  aria-label={t('views.change', { name: view.name })}
                  {...AHEAD}
                >
                  <MoreIcon />
                </Button>
                <Popover placement="bottom start">
                  <Menu
                    aria-label={t('views.change', { name: view.name })}
                    onAction={(action) => (action === 'rename' ? setRenamed(view) : remove.mutate(view))}
                  >
                    <MenuItem id="rename">{t('views.rename')}</MenuItem>
                    <MenuItem id="delete">{t('views.delete')}</MenuItem>
                  </Menu>
                </Popover>
              </MenuTrigger>
            )}
          </li>
        ))}
      </ul>
      {maySave && (
        <Button variant="quiet" onPress={() => setSaving(true)} {...AHEAD}>
          {t('views.save')}
        </Button>
      )}
      <Suspense>
        {isSaving && (
          <SaveDialog search={search} filter={filter} views={views} onClose={() => setSaving(false)} />
        )}
        {renamed && <RenameDialog view={renamed} onClose={() => setRenamed(null)} />}
      </Suspense>
    </nav>
  );
});
