import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { DELETE, leadCountQuery, type Settings, type Website } from '../queries.js';

type Props = { website: Website; stored: Settings };

/** Deletes a website once it is said what goes with it; one with leads cannot be deleted, which is said instead. */
export function DeleteWebsite({ website: { id, name }, stored }: Props) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const leads = useQuery(leadCountQuery(id));
  const remove = useMutation({
    mutationFn: () => request(DELETE, { id }),
    onSuccess: async () => {
      say(t('website.isDeleted', { name }));
      await navigate({ to: '/websites', ignoreBlocker: true });
      client.removeQueries({ queryKey: ['website', id] });
      await client.invalidateQueries({ queryKey: ['websites'] });
    },
  });
  return (
    <Loaded query={leads}>
      {({ total, isExact }) =>
        total > 0 ? (
          <p>{t('website.hasLeads', { count: total, isExact: String(isExact) })}</p>
        ) : (
          <>
            <p>{t('website.deleteText')}</p>
            <Button onPress={() => setOpen(true)}>{t('website.delete')}</Button>
            <Dialog
              title={t('website.deleteTitle', { name })}
              isOpen={isOpen}
              onClose={() => setOpen(false)}
              isPending={remove.isPending}
            >
              <p>
                {t('website.deleteWhat', {
                  forms: stored.formLinks.length,
                  steps: stored.captchaChain.length,
                })}
              </p>
              {remove.error && <ErrorBox error={remove.error} />}
              <DialogButtons action={t('website.delete')} variant="danger" onPress={() => remove.mutate()} />
            </Dialog>
          </>
        )
      }
    </Loaded>
  );
}
