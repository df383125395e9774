import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Select } from '../../parts/fields/select.js';
import { Section } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { useMayManage } from '../../session.js';
import styles from './recipients.module.css';

const FILTER = graphql(`
  query formSpamFilter($id: ID!) {
    form(id: $id) {
      spamFilter
    }
  }
`);

const SET = graphql(`
  mutation setFormSpamFilter($formId: ID!, $filter: SpamFilter) {
    setFormSpamFilter(formId: $formId, filter: $filter) {
      spamFilter
    }
  }
`);

type Filter = NonNullable<ResultOf<typeof FILTER>['form']['spamFilter']>;

/** Stands for the team's filter in the select. */
const AS_TEAM = 'TEAM';

const CHOICES = [AS_TEAM, 'QUARANTINE', 'MARK', 'OFF'] as const;

const filterQuery = (id: string) =>
  queryOptions({
    queryKey: ['formSpamFilter', id],
    queryFn: ({ signal }) => request(FILTER, { id }, signal),
  });

/** The spam filter of the form, which replaces its team's. A choice is saved at once: versions do not have it. */
export function FormSpamFilter({ id, teamId }: { id: string; teamId: string }) {
  const t = useText();
  const mayManage = useMayManage(teamId);
  const client = useQueryClient();
  const { queryKey } = filterQuery(id);
  const stored = useQuery(filterQuery(id));
  const update = useMutation({
    mutationFn: (filter: Filter | null) => request(SET, { formId: id, filter }),
    onSuccess: ({ setFormSpamFilter: form }) => {
      client.setQueryData(queryKey, { form });
      say(t('form.spam.saved'));
    },
    onError: () => say(t('form.spam.failed')),
  });
  return (
    <Section title={t('form.spam.title')}>
      <Loaded query={stored} skeleton={<Skeleton lines={2} />}>
        {({ form: { spamFilter } }) => {
          const value = (update.isPending ? update.variables : spamFilter) ?? AS_TEAM;
          return mayManage ? (
            <div className={styles.narrow}>
              <Select<(typeof CHOICES)[number]>
                label={t('form.spam.filter')}
                value={value}
                options={CHOICES.map((choice) => ({ value: choice, text: t(`form.spam.${choice}`) }))}
                onChange={(choice) => update.mutate(choice === AS_TEAM ? null : choice)}
              />
            </div>
          ) : (
            <p>{t('labelled', { label: t('form.spam.filter'), value: t(`form.spam.${value}`) })}</p>
          );
        }}
      </Loaded>
    </Section>
  );
}
