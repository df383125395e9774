import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Form } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Section } from '../../parts/page.js';
import { Select } from '../../parts/select.js';
import { Skeleton } from '../../parts/skeleton.js';
import { TextField } from '../../parts/text-field.js';
import { say } from '../../parts/toasts.js';
import { inRoom } from '../../room.js';
import { useMayManage } from '../../session.js';
import { SpamRules } from './spam-rules.js';

const SETTINGS = graphql(`
  query spamSettings($teamId: ID!) {
    spamSettings(teamId: $teamId) {
      filter
      threshold
      keptDays
    }
    spamTraining {
      spam
      leads
      needed
    }
  }
`);

const UPDATE = graphql(`
  mutation updateSpamSettings($teamId: ID!, $input: UpdateSpamSettingsInput!) {
    updateSpamSettings(teamId: $teamId, input: $input) {
      filter
    }
  }
`);

const EFFECT = graphql(`
  query spamEffect($teamId: ID!, $threshold: Int!) {
    spamEffect(teamId: $teamId, threshold: $threshold) {
      submissions
      spam
      notSpam
    }
  }
`);

const FILTERS = ['QUARANTINE', 'MARK', 'OFF'] as const;
const THRESHOLDS = { least: 50, most: 300 };
const DAYS = { least: 1, most: 3_650 };

const settingsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['spamSettings', teamId],
    queryFn: ({ signal }) => request(SETTINGS, { teamId }, signal),
  });

type Stored = ResultOf<typeof SETTINGS>;

const isWithin = (value: string, { least, most }: typeof DAYS): boolean =>
  /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most;

/** What a threshold would have done last month. */
function Effect({ teamId, threshold }: { teamId: string; threshold: string }) {
  const t = useText();
  const effect = useQuery({
    queryKey: ['spamEffect', teamId, threshold],
    queryFn: ({ signal }) => request(EFFECT, { teamId, threshold: Number(threshold) }, signal),
    enabled: isWithin(threshold, THRESHOLDS),
  });
  return <p role="status">{effect.data && t('spamSettings.effect', effect.data.spamEffect)}</p>;
}

function SettingsForm({ teamId, stored }: { teamId: string; stored: Stored['spamSettings'] }) {
  const t = useText();
  const client = useQueryClient();
  const [filter, setFilter] = useState(stored.filter);
  const [threshold, setThreshold] = useState(String(stored.threshold));
  const [days, setDays] = useState(stored.keptDays === null ? '' : String(stored.keptDays));
  const update = useMutation({
    mutationFn: () =>
      request(UPDATE, {
        teamId,
        input: { filter, threshold: Number(threshold), keptDays: days === '' ? null : Number(days) },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['spamSettings', teamId] });
      say(t('spamSettings.saved'));
    },
  });
  const validate = (range: typeof DAYS) => (value: string) =>
    isWithin(value, range) ? null : t('spamSettings.number', range);
  return (
    <Form onSubmit={() => update.mutate()} error={update.error}>
      <Select<Stored['spamSettings']['filter']>
        label={t('spamSettings.filter')}
        value={filter}
        options={FILTERS.map((value) => ({ value, text: t(`spamSettings.${value}`) }))}
        onChange={setFilter}
      />
      <TextField
        name="threshold"
        label={t('spamSettings.threshold')}
        hint={t('spamSettings.thresholdHint')}
        inputMode="numeric"
        isRequired
        value={threshold}
        onChange={setThreshold}
        validate={validate(THRESHOLDS)}
      />
      <Effect teamId={teamId} threshold={threshold} />
      <TextField
        name="keptDays"
        label={t('spamSettings.kept')}
        hint={t('spamSettings.keptHint')}
        inputMode="numeric"
        value={days}
        onChange={setDays}
        validate={validate(DAYS)}
      />
      <Button type="submit" variant="primary" isPending={update.isPending}>
        {t('action.save')}
      </Button>
    </Form>
  );
}

function Settings({ teamId }: { teamId: string }) {
  const t = useText();
  const mayManage = useMayManage(teamId);
  const settings = useQuery(settingsQuery(teamId));
  return (
    <Section title={t('spamSettings.title')}>
      <Loaded query={settings} skeleton={<Skeleton lines={6} />}>
        {({ spamSettings, spamTraining }) => (
          <>
            {mayManage ? (
              <SettingsForm teamId={teamId} stored={spamSettings} />
            ) : (
              <p>
                {t('spamSettings.filter')}: {t(`spamSettings.${spamSettings.filter}`)}
              </p>
            )}
            <p>{t('spamSettings.training', spamTraining)}</p>
          </>
        )}
      </Loaded>
      <SpamRules teamId={teamId} mayManage={mayManage} />
    </Section>
  );
}

/** How a team wants spam to be handled: filter, threshold, rules, and how far the classifier is trained. */
export const SpamSettings = inRoom('spamSettings', Settings);
