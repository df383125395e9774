import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import styles from './erase-dialog.module.css';
import { graphql, type ResultOf, request } from './graphql.js';
import { useText } from './language.js';
import { Loaded } from './parts/feedback/loaded.js';
import { Select } from './parts/fields/select.js';
import { TextField } from './parts/fields/text-field.js';
import { Form } from './parts/form/form.js';
import { Dialog, DialogButtons } from './parts/overlays/dialog.js';
import { say } from './parts/overlays/toasts.js';

const PREVIEW = graphql(`
  query erasurePreview($teamId: ID!, $email: String!) {
    erasurePreview(teamId: $teamId, email: $email) {
      submissions
      held
      notes
      emails
      spamRules
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
  mutation erasePerson($teamId: ID!, $email: String!) {
    erasePerson(teamId: $teamId, email: $email) {
      id
      counts {
        submissions
        held
      }
    }
  }
`);

/** What an erasure has come to. */
export type ErasedReceipt = ResultOf<typeof ERASE>['erasePerson'];

type Props = {
  teamId: string;
  /** The addresses of which one is erased. */
  emails: readonly string[];
  onErased(receipt: ErasedReceipt, email: string): void;
  onClose(): void;
};

/** Tells what an erasure would delete, and deletes it once the address is typed. */
export function EraseDialog({ teamId, emails, onErased, onClose }: Props) {
  const t = useText();
  const [email, setEmail] = useState(emails[0]!);
  const [typed, setTyped] = useState('');
  const preview = useQuery({
    queryKey: ['erasurePreview', teamId, email],
    queryFn: async ({ signal }) => (await request(PREVIEW, { teamId, email }, signal)).erasurePreview,
    gcTime: 0,
  });
  const erase = useMutation({
    mutationFn: async () => (await request(ERASE, { teamId, email })).erasePerson,
    onSuccess: (receipt) => {
      say(t('erase.erased', { count: receipt.counts.submissions, email }));
      onErased(receipt, email);
    },
  });
  return (
    <Dialog title={t('erase.title')} isOpen onClose={onClose} isPending={erase.isPending}>
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
          {({ submissions, held, notes, emails: sent, spamRules, isExact, websites }) => (
            <div className={styles.erased}>
              {submissions === 0 && <p>{t('erase.nothing', { email })}</p>}
              {submissions > 0 && (
                <>
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
                  <p>{t('erase.alongside', { notes, emails: sent })}</p>
                </>
              )}
              {spamRules > 0 && <p>{t('erase.spamRules', { count: spamRules })}</p>}
              {held > 0 && <p>{t('erase.held', { count: held })}</p>}
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
        <DialogButtons
          action={t('erase.submit')}
          variant="danger"
          isDisabled={!preview.data || typed.trim().toLowerCase() !== email}
        />
      </Form>
    </Dialog>
  );
}
