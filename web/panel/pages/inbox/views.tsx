import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { GatewayError, graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogActions } from '../../parts/dialog.js';
import { describeError } from '../../parts/error-words.js';
import { Form } from '../../parts/form.js';
import { CloseIcon } from '../../parts/icons.js';
import { TextField } from '../../parts/text-field.js';
import { say } from '../../parts/toasts.js';
import styles from './folders.module.css';
import { type Filter, type InboxSearch, lastDaysOf, searchOf } from './search.js';

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

/** The views of the inbox that the account has saved, and what saves another one. */
export function Views({ search, filter }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [isSaving, setSaving] = useState(false);
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
            <Button
              variant="quiet"
              isSquare
              aria-label={t('views.delete', { name: view.name })}
              onPress={() => remove.mutate(view)}
            >
              <CloseIcon />
            </Button>
          </li>
        ))}
      </ul>
      <Button variant="quiet" onPress={() => setSaving(true)}>
        {t('views.save')}
      </Button>
      {isSaving && <SaveDialog search={search} filter={filter} onClose={() => setSaving(false)} />}
    </nav>
  );
}

/** Asks for the name of a view, and saves it. */
function SaveDialog({ search, filter, onClose }: Props & { onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState('');
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
        <TextField
          label={t('views.name')}
          name="name"
          isRequired
          autoFocus
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" isPending={save.isPending}>
            {t('action.save')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
