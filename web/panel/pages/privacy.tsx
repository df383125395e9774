import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { DownloadButton } from '../download-button.js';
import { EraseDialog, type ErasedReceipt } from '../erase-dialog.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Note } from '../parts/feedback/note.js';
import { TextField } from '../parts/fields/text-field.js';
import { Form, FormActions } from '../parts/form/form.js';
import { Page, Section } from '../parts/layout/page.js';
import { Moment } from '../parts/time/moment.js';
import { useManagesAny, useMayManage } from '../session.js';
import { PersonLeads } from './privacy/person-leads.js';
import { type PersonInTeam, personQuery } from './privacy/queries.js';
import styles from './privacy.module.css';

const route = getRouteApi('/shell/privacy');

/** Everything that the viewer may see about the person of an e-mail address: to look at, to export, to erase. */
export function PrivacyPage() {
  const t = useText();
  const { email, team } = route.useSearch();
  const person = useQuery({ ...personQuery(email ?? '', team), enabled: Boolean(email) });
  return (
    <Page title={t('person.title')}>
      <AddressForm key={email} email={email ?? ''} />
      {email && <Person key={`${email} ${team}`} email={email} person={person} />}
      <div role="status">
        {email && person.data?.length === 0 && <EmptyState title={t('person.none', { email })} />}
      </div>
    </Page>
  );
}

function AddressForm({ email }: { email: string }) {
  const t = useText();
  const navigate = useNavigate();
  const mayErase = useManagesAny();
  const [address, setAddress] = useState(email);
  return (
    <div className={styles.form}>
      <Form
        onSubmit={() =>
          void navigate({
            to: '/privacy',
            search: ({ team }) => ({ team, email: address.trim().toLowerCase() }),
          })
        }
      >
        <p>{t('person.text', { mayErase: String(mayErase) })}</p>
        <TextField
          label={t('person.email')}
          name="email"
          type="email"
          autoComplete="off"
          isRequired
          value={address}
          onChange={setAddress}
        />
        <FormActions>
          <Button type="submit" variant="primary">
            {t('person.show')}
          </Button>
        </FormActions>
      </Form>
    </div>
  );
}

type PersonProps = { email: string; person: UseQueryResult<readonly PersonInTeam[]> };

function Person({ email, person }: PersonProps) {
  const t = useText();
  const client = useQueryClient();
  const [receipt, setReceipt] = useState<ErasedReceipt | null>(null);
  return (
    <>
      <div role="status">
        {receipt && (
          <Note>
            {t(receipt.counts.held > 0 ? 'person.receiptHeld' : 'person.receipt', {
              id: receipt.id,
              count: receipt.counts.held,
            })}
          </Note>
        )}
      </div>
      <Loaded query={person}>
        {(teams) =>
          teams.map((one) => (
            <DataOfTeam
              key={one.team.id}
              email={email}
              data={one}
              onErased={(erased) => {
                setReceipt(erased);
                client.removeQueries({ queryKey: ['lead'] });
                void client.invalidateQueries({ queryKey: ['person'] });
                void client.invalidateQueries({ queryKey: ['leads'] });
                void client.invalidateQueries({ queryKey: ['leadCounts'] });
              }}
            />
          ))
        }
      </Loaded>
    </>
  );
}

type DataProps = { email: string; data: PersonInTeam; onErased(receipt: ErasedReceipt): void };

function DataOfTeam({ email, data, onErased }: DataProps) {
  const t = useText();
  const [isErasing, setErasing] = useState(false);
  const mayManage = useMayManage(data.team.id);
  const { team, submissions, held, notes, emails, spamRules, firstAt, lastAt, mayErase } = data;
  const exported = new URLSearchParams({ teamId: team.id, email });
  return (
    <Section
      title={team.name}
      actions={
        <div className={styles.actions}>
          <DownloadButton path={`panel/exports/address.ndjson?${exported}`}>
            {t('person.export')}
          </DownloadButton>
          {mayErase && mayManage && <Button onPress={() => setErasing(true)}>{t('erase.button')}</Button>}
        </div>
      }
    >
      <p>
        {t('person.counts', { leads: submissions + held, emails, notes })}{' '}
        {firstAt && lastAt && (
          <>
            {t('person.from')} <Moment at={firstAt} />, {t('person.to')} <Moment at={lastAt} />.
          </>
        )}
      </p>
      {spamRules > 0 && (
        <p>
          {t('person.spamRules', { count: spamRules })}{' '}
          <Link
            to="/teams/$teamId"
            params={{ teamId: team.id }}
            search={({ team: kept }) => ({ team: kept, tab: 'spam' })}
          >
            {t('person.toSpamRules')}
          </Link>
        </p>
      )}
      {held > 0 && <p>{t('erase.held', { count: held })}</p>}
      {firstAt && <PersonLeads email={email} teamId={team.id} />}
      {mayErase && (
        <p>
          <Link
            to="/teams/$teamId"
            params={{ teamId: team.id }}
            search={({ team: kept }) => ({ team: kept, tab: 'privacy' })}
          >
            {t('person.receipts')}
          </Link>
        </p>
      )}
      {isErasing && (
        <EraseDialog
          teamId={team.id}
          emails={[email]}
          onErased={(receipt) => {
            setErasing(false);
            onErased(receipt);
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </Section>
  );
}
