import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Select } from '../../parts/fields/select.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { useFollow } from '../../parts/form/use-follow.js';
import { Fact, Facts } from '../../parts/layout/facts.js';
import { Section } from '../../parts/layout/page.js';
import { changesOf } from '../../parts/merge/changes-of.js';
import { say } from '../../parts/overlays/toasts.js';
import { inRoom } from '../../room.js';
import { useMayManage, useViewer } from '../../session.js';
import { leavesTab } from './search.js';
import { SpamRules } from './spam-rules.js';

const SETTINGS = graphql(`
  query spamSettings($teamId: ID!, $isStaff: Boolean!) {
    spamSettings(teamId: $teamId) {
      filter
      threshold
      keptDays
    }
    spamTraining @include(if: $isStaff) {
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
      threshold
      keptDays
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

const settingsQuery = (teamId: string, isStaff: boolean) =>
  queryOptions({
    queryKey: ['spamSettings', teamId, isStaff],
    queryFn: ({ signal }) => request(SETTINGS, { teamId, isStaff }, signal),
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
  return (
    <>
      {effect.error && <ErrorBox error={effect.error} onRetry={() => void effect.refetch()} />}
      <p role="status">{effect.data && t('spamSettings.effect', effect.data.spamEffect)}</p>
    </>
  );
}

type Settings = Stored['spamSettings'];

/** What is typed. */
type Draft = Readonly<{ filter: Settings['filter']; threshold: string; keptDays: string }>;

const draftOf = ({ filter, threshold, keptDays }: Settings): Draft => ({
  filter,
  threshold: String(threshold),
  keptDays: String(keptDays ?? ''),
});

const settingsOf = ({ filter, threshold, keptDays }: Draft): Settings => ({
  filter,
  threshold: Number(threshold),
  keptDays: keptDays === '' ? null : Number(keptDays),
});

function SettingsForm({ teamId, stored }: { teamId: string; stored: Settings }) {
  const t = useText();
  const client = useQueryClient();
  const [before, setBefore] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const isDirty = Object.keys(changesOf(draftOf(before), draft)).length > 0;
  useFollow(stored, isDirty, (current) => {
    setBefore(current);
    setDraft(draftOf(current));
  });
  const update = useMutation({
    mutationFn: async (sent: Draft) =>
      (await request(UPDATE, { teamId, input: changesOf(before, settingsOf(sent)) })).updateSpamSettings,
    onSuccess: async (saved, sent) => {
      setBefore(saved);
      // What was typed while it was sent stays.
      setDraft((now) => ({ ...draftOf(saved), ...changesOf(sent, now) }));
      await client.invalidateQueries({ queryKey: ['spamSettings', teamId] });
      say(t('spamSettings.saved'));
    },
  });
  const validate = (range: typeof DAYS) => (value: string) =>
    isWithin(value, range) ? null : t('spamSettings.number', range);
  return (
    <Form onSubmit={() => update.mutate(draft)} error={update.error}>
      <LeaveGuard isDirty={isDirty} leaves={leavesTab} />
      <Select<Stored['spamSettings']['filter']>
        label={t('spamSettings.filter')}
        value={draft.filter}
        options={FILTERS.map((value) => ({ value, text: t(`spamSettings.${value}`) }))}
        onChange={(filter) => setDraft({ ...draft, filter })}
      />
      <TextField
        name="threshold"
        label={t('spamSettings.threshold')}
        hint={t('spamSettings.thresholdHint')}
        inputMode="numeric"
        isRequired
        value={draft.threshold}
        onChange={(threshold) => setDraft({ ...draft, threshold })}
        validate={validate(THRESHOLDS)}
      />
      <Effect teamId={teamId} threshold={draft.threshold} />
      <TextField
        name="keptDays"
        label={t('spamSettings.kept')}
        hint={t('spamSettings.keptHint')}
        inputMode="numeric"
        value={draft.keptDays}
        onChange={(keptDays) => setDraft({ ...draft, keptDays })}
        validate={validate(DAYS)}
      />
      <FormActions>
        <Button type="submit" variant="primary" isPending={update.isPending}>
          {t('action.save')}
        </Button>
      </FormActions>
    </Form>
  );
}

function Settings({ teamId }: { teamId: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { staff } = useViewer();
  const mayManage = useMayManage(teamId);
  const settings = useQuery(settingsQuery(teamId, staff));
  return (
    <>
      <Section title={t('spamSettings.title')}>
        <Loaded query={settings} skeleton={<Skeleton lines={6} />}>
          {({ spamSettings, spamTraining }) => (
            <>
              {spamTraining && <p>{t('spamSettings.training', spamTraining)}</p>}
              {mayManage ? (
                <SettingsForm teamId={teamId} stored={spamSettings} />
              ) : (
                <Facts>
                  <Fact label={t('spamSettings.filter')}>{t(`spamSettings.${spamSettings.filter}`)}</Fact>
                  <Fact label={t('spamSettings.threshold')}>{formatNumber(spamSettings.threshold)}</Fact>
                  <Fact label={t('spamSettings.keptFact')}>
                    {spamSettings.keptDays === null
                      ? t('spamSettings.never')
                      : t('spamSettings.keptFor', { days: spamSettings.keptDays })}
                  </Fact>
                </Facts>
              )}
            </>
          )}
        </Loaded>
      </Section>
      <SpamRules teamId={teamId} mayManage={mayManage} />
    </>
  );
}

/** How a team wants spam to be handled: filter, threshold, rules, and how far the classifier is trained. */
export const SpamSettings = inRoom('spamSettings', Settings);
