import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { Page } from '../../parts/layout/page.js';
import { offeredLocale } from '../../parts/offered-locale.js';
import { say } from '../../parts/overlays/toasts.js';
import { TeamField, useTeam } from '../../parts/teams/team-field.js';
import { useManagesAny } from '../../session.js';
import { draftFaults, EMPTY_DRAFT } from '../../website-settings/draft.js';
import { platformQuery } from '../../website-settings/queries.js';
import { WebsiteFields } from '../../website-settings/website-fields.js';
import { CREATE } from './queries.js';

/** A new website; once created, its page shows where to put the forms. */
export function NewWebsitePage() {
  const t = useText();
  const mayManage = useManagesAny();
  const platform = useQuery({ ...platformQuery, enabled: mayManage });
  return (
    <Page title={t('websites.new')}>
      {mayManage ? (
        <Loaded query={platform}>{({ locales }) => <NewWebsite locales={locales} />}</Loaded>
      ) : (
        <EmptyState title={t('error.FORBIDDEN')} />
      )}
    </Page>
  );
}

function NewWebsite({ locales }: { locales: readonly string[] }) {
  const t = useText();
  const { team: inAddress } = useSearch({ strict: false });
  const choice = useTeam(inAddress);
  const { locale } = useIntl();
  const [before] = useState({ ...EMPTY_DRAFT, locale: offeredLocale(locales, locale) });
  const [draft, setDraft] = useState(before);
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => request(CREATE, { teamId: choice.team!.id, input: draft }),
    onSuccess: async ({ createWebsite: { id } }) => {
      say(t('website.created', { name: draft.name }));
      await client.invalidateQueries({ queryKey: ['websites'] });
      await navigate({
        to: '/websites/$websiteId',
        params: { websiteId: id },
        search: { tab: 'forms' },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <Form onSubmit={create.mutate} error={create.error} fieldErrors={(error) => draftFaults(error, t)}>
      <LeaveGuard isDirty={draft !== before} />
      <TeamField {...choice} />
      <WebsiteFields draft={draft} onChange={setDraft} isNew />
      {!choice.team && <p>{t('team.needed')}</p>}
      <FormActions>
        <Button type="submit" variant="primary" isPending={create.isPending} isDisabled={!choice.team}>
          {t('website.create')}
        </Button>
      </FormActions>
    </Form>
  );
}
