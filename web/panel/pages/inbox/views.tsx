import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { GatewayError, graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogActions } from '../../parts/dialog.js';
import { describeError } from '../../parts/error-words.js';
import { Form } from '../../parts/form.js';
import { MoreIcon } from '../../parts/icons.js';
import { Menu, MenuItem } from '../../parts/menu.js';
import { Popover } from '../../parts/popover.js';
import { TextField } from '../../parts/text-field.js';
import { say } from '../../parts/toasts.js';
import { useMayChange } from '../../session.js';
import styles from './folders.module.css';
import { type Filter, type InboxSearch, isSearchable, lastDaysOf, searchOf } from './search.js';

const VIEWS = graphql(`
  query savedViews {
    savedViews {
      id
      name
      filter
      lastDays
    }
  }
`);

const SAVE = graphql(`
  mutation saveView($name: String!, $filter: SubmissionFilter!, $lastDays: Int) {
    saveView(name: $name, filter: $filter, lastDays: $lastDays) {
      id
    }
  }
`);

const RENAME = graphql(`
  mutation renameView($id: ID!, $name: String!) {
    renameView(id: $id, name: $name) {
      id
    }
  }
`);

const DELETE = graphql(`
  mutation deleteView($id: ID!) {
    deleteView(id: $id)
  }
`);

type View = ResultOf<typeof VIEWS>['savedViews'][number];

const VIEWS_KEY = ['savedViews'];

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
    queryFn: async ({ signal }) => (await request(VIEWS, {}, signal)).savedViews,
  });
  const change = {
    onError: (error: Error) => say(describeError(error, t).text),
    onSettled: () => client.invalidateQueries({ queryKey: VIEWS_KEY }),
  };
  const saveAgain = useMutation({
    mutationFn: ({ name, filter: saved, lastDays }: View) =>
      request(SAVE, { name, filter: saved as Filter, lastDays }),
    ...change,
  });
  const remove = useMutation({
    mutationFn: ({ id }: View) => request(DELETE, { id }),
    onSuccess: (_answer, deleted) =>
      say(t('views.deleted', { name: deleted.name }), () => saveAgain.mutate(deleted)),
    ...change,
  });
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
                <Button variant="quiet" isSquare aria-label={t('views.change', { name: view.name })}>
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
      {mayChange && isSearchable(search.q) && (
        <Button variant="quiet" onPress={() => setSaving(true)}>
          {t('views.save')}
        </Button>
      )}
      {isSaving && (
        <SaveDialog search={search} filter={filter} views={views} onClose={() => setSaving(false)} />
      )}
      {renamed && <RenameDialog view={renamed} onClose={() => setRenamed(null)} />}
    </nav>
  );
});

type NameProps = { value: string; hint?: string; onChange(name: string): void };

function NameField(props: NameProps) {
  const t = useText();
  return <TextField label={t('views.name')} name="name" isRequired autoFocus maxLength={100} {...props} />;
}

type SaveProps = Props & { views: readonly View[]; onClose(): void };

/** Asks for the name of a view, and saves it, in the place of one of the same name. */
function SaveDialog({ search, filter, views, onClose }: SaveProps) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const isTaken = views.some((view) => view.name === name.trim());
  const lastDays = lastDaysOf(search);
  const save = useMutation({
    mutationFn: () => {
      // A usual period moves on with the days.
      const { from, to, ...rest } = filter;
      return request(SAVE, { name: name.trim(), filter: lastDays === null ? filter : rest, lastDays });
    },
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: VIEWS_KEY });
    },
  });
  const holdsAddress = save.error instanceof GatewayError && Boolean(save.error.fields['filter.text']);
  return (
    <Dialog title={t('views.save')} isOpen onClose={onClose}>
      <Form
        error={save.error}
        fieldErrors={() => ({ name: holdsAddress && t('views.address') })}
        onSubmit={() => save.mutate()}
      >
        <NameField value={name} onChange={setName} {...(isTaken && { hint: t('views.replaces') })} />
        <DialogActions>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" isPending={save.isPending}>
            {t(isTaken ? 'views.replace' : 'action.save')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Asks for another name of a view. */
function RenameDialog({ view, onClose }: { view: View; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState(view.name);
  const rename = useMutation({
    mutationFn: () => request(RENAME, { id: view.id, name: name.trim() }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: VIEWS_KEY });
    },
  });
  return (
    <Dialog title={t('views.rename')} isOpen onClose={onClose}>
      <Form
        error={rename.error}
        fieldErrors={({ code }) => ({ name: code === 'CONFLICT' && t('views.taken') })}
        onSubmit={() => rename.mutate()}
      >
        <NameField value={name} onChange={setName} />
        <DialogActions>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" isPending={rename.isPending}>
            {t('action.save')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
