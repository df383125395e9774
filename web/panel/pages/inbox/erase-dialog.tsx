import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogActions } from '../../parts/dialog.js';
import { Form } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Select } from '../../parts/select.js';
import { TextField } from '../../parts/text-field.js';
import { say } from '../../parts/toasts.js';
import styles from './lead-view.module.css';
import type { Lead } from './queries.js';

const PREVIEW = graphql(`
  query erasurePreview($teamId: ID!, $email: String!) {
    erasurePreview(teamId: $teamId, email: $email) {
      submissions
      isExact
      websites {
        websiteId
        submissions
        website {
          name
        }
      }
    }
  }
`);

const ERASE = graphql(`
  mutation eraseEmailAddress($teamId: ID!, $email: String!) {
    eraseEmailAddress(teamId: $teamId, email: $email)
  }
`);

/** Tells what an erasure would delete, and deletes it once the address is typed. */
export function EraseDialog({ lead, onClose }: { lead: Lead; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { teamId, emails } = lead;
  const [email, setEmail] = useState(emails[0]!);
  const [typed, setTyped] = useState('');
  const preview = useQuery({
    queryKey: ['erasurePreview', teamId, email],
    queryFn: async ({ signal }) => (await request(PREVIEW, { teamId, email }, signal)).erasurePreview,
    gcTime: 0,
  });
  const erase = useMutation({
    mutationFn: async () => (await request(ERASE, { teamId, email })).eraseEmailAddress,
    onSuccess: async (count) => {
      say(t('erase.erased', { count, email }));
      client.removeQueries({ queryKey: ['lead'] });
      await navigate({ to: '/inbox', search: true });
      await client.resetQueries({ queryKey: ['leads'] });
      await client.invalidateQueries({ queryKey: ['leadCounts'] });
    },
  });
  return (
    <Dialog title={t('erase.title')} isOpen onClose={onClose}>
      <Form
        error={erase.error}
        onSubmit={() => {
          if (typed.trim().toLowerCase() === email) erase.mutate();
        }}
      >
        {emails.length > 1 && (
          <Select
            label={t('erase.whose')}
            value={email}
            onChange={setEmail}
            options={emails.map((value) => ({ value, text: value }))}
          />
        )}
        <Loaded query={preview}>
          {({ submissions, isExact, websites }) => (
            <div className={styles.erased}>
              <p>{t(isExact ? 'erase.text' : 'erase.textMany', { count: submissions, email })}</p>
              <ul>
                {websites.map((one) => (
                  <li key={one.websiteId}>
                    {t('erase.website', {
                      website: one.website?.name ?? one.websiteId,
                      count: one.submissions,
                    })}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </Loaded>
        <TextField
          label={t('erase.confirm', { email })}
          name="confirmation"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={setTyped}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant="danger"
            isPending={erase.isPending}
            isDisabled={!preview.data || typed.trim().toLowerCase() !== email}
          >
            {t('erase.submit')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
