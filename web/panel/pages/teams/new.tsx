import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Select } from '../../parts/fields/select.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { Page } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { isSlug, slugOf } from '../../parts/slug.js';
import { type Plan, plansQuery } from '../../parts/teams/plans.js';
import { CREATE_TEAM } from './queries.js';

/** A new team, for staff; once created, its page shows where to invite its members. */
export function NewTeamPage() {
  const t = useText();
  const plans = useQuery(plansQuery);
  return (
    <Page title={t('teams.new')}>
      <Loaded query={plans}>
        {(all) => (all.length > 0 ? <NewTeam plans={all} /> : <EmptyState title={t('plans.none')} />)}
      </Loaded>
    </Page>
  );
}

function NewTeam({ plans }: { plans: readonly Plan[] }) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [typedSlug, setSlug] = useState<string | null>(null);
  const [planId, setPlanId] = useState(plans[0]!.id);
  const slug = typedSlug ?? slugOf(name);
  const create = useMutation({
    mutationFn: () => request(CREATE_TEAM, { input: { name: name.trim(), slug, planId } }),
    onSuccess: async ({ createTeam: { id } }) => {
      say(t('teams.created', { name: name.trim() }));
      await client.invalidateQueries({ queryKey: ['teams'] });
      await navigate({ to: '/teams/$teamId', params: { teamId: id }, ignoreBlocker: true });
    },
  });
  return (
    <Form
      onSubmit={() => create.mutate()}
      error={create.error}
      fieldErrors={({ code }) => ({ slug: code === 'CONFLICT' && t('teams.slugTaken') })}
    >
      <LeaveGuard isDirty={name !== '' || typedSlug !== null || planId !== plans[0]!.id} />
      <TextField
        label={t('teams.nameField')}
        name="name"
        isRequired
        value={name}
        onChange={setName}
        maxLength={255}
      />
      <TextField
        label={t('teams.slug')}
        hint={t('teams.slugHint')}
        name="slug"
        isRequired
        value={slug}
        onChange={setSlug}
        validate={(value) => (isSlug(value) ? null : t('teams.slugRule'))}
      />
      <Select
        label={t('plans.plan')}
        value={planId}
        onChange={setPlanId}
        options={plans.map((plan) => ({ value: plan.id, text: plan.name }))}
      />
      <FormActions>
        <Button type="submit" variant="primary" isPending={create.isPending}>
          {t('teams.create')}
        </Button>
      </FormActions>
    </Form>
  );
}
