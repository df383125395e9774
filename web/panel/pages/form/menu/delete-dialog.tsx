import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Dialog, DialogActions } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import type { SavedForm } from '../queries.js';
import { usageQuery } from './usage.js';
import { WebsiteNames } from './website-names.js';

const DELETE = graphql(`
  mutation deleteForm($id: ID!) {
    deleteForm(id: $id)
  }
`);

type Props = Readonly<{ form: SavedForm; onHide(): void; onClose(): void }>;

/** Tells what goes with the form, and deletes it. One with leads stays, and may be hidden instead. */
export function DeleteDialog({ form, onHide, onClose }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const client = useQueryClient();
  const usage = useQuery(usageQuery(form.id));
  const remove = useMutation({
    mutationFn: () => request(DELETE, { id: form.id }),
    onSuccess: async () => {
      say(t('form.deleted', { form: form.content.name }));
      await navigate({ to: '/forms', ignoreBlocker: true });
      client.removeQueries({ queryKey: ['form', form.id] });
      await client.invalidateQueries({ queryKey: ['forms'] });
    },
  });
  const hasLeads = (usage.data?.leads.total ?? 0) > 0;
  return (
    <Dialog title={t('form.delete')} isOpen onClose={onClose} isPending={remove.isPending}>
      <Loaded query={usage}>
        {({ websites, leads }) =>
          leads.total > 0 ? (
            <p>{t('form.deleteLeads', { count: leads.total, isExact: String(leads.isExact) })}</p>
          ) : (
            <>
              <p>{t('form.deleteText', { form: form.content.name, count: websites.length })}</p>
              <WebsiteNames websites={websites} />
            </>
          )
        }
      </Loaded>
      {remove.error && <ErrorBox error={remove.error} />}
      <DialogActions>
        <Button onPress={onClose} isDisabled={remove.isPending}>
          {t('action.cancel')}
        </Button>
        {hasLeads ? (
          <Button
            variant="primary"
            onPress={() => {
              onHide();
              onClose();
            }}
          >
            {t('form.hide')}
          </Button>
        ) : (
          <Button
            variant="danger"
            isDisabled={!usage.data}
            isPending={remove.isPending}
            onPress={() => remove.mutate()}
          >
            {t('form.delete')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
