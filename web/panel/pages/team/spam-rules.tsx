import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { MoreButton } from '../../parts/buttons/more-button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Select } from '../../parts/fields/select.js';
import { TextField } from '../../parts/fields/text-field.js';
import { useFaultWords } from '../../parts/form/fault-words.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { CloseIcon } from '../../parts/icons/icons.js';
import { Section } from '../../parts/layout/page.js';
import { say, sayOnce } from '../../parts/overlays/toasts.js';
import styles from './spam-rules.module.css';

const RULES = graphql(`
  query spamRules($teamId: ID!, $before: String) {
    spamRules(teamId: $teamId, last: 100, before: $before) {
      edges {
        node {
          id
          kind
          value
        }
      }
      pageInfo {
        startCursor
        hasPreviousPage
      }
    }
  }
`);

const ADD = graphql(`
  mutation addTeamSpamRule($teamId: ID!, $kind: SpamRuleKind!, $value: String!) {
    addSpamRule(teamId: $teamId, kind: $kind, value: $value) {
      id
    }
  }
`);

const DELETE = graphql(`
  mutation deleteSpamRule($id: ID!) {
    deleteSpamRule(id: $id)
  }
`);

type Rule = ResultOf<typeof RULES>['spamRules']['edges'][number]['node'];
type Kind = Rule['kind'];

const KINDS: readonly Kind[] = ['blocked_sender', 'blocked_domain', 'blocked_word', 'trusted_sender'];

const rulesQuery = (teamId: string) =>
  infiniteQueryOptions({
    queryKey: ['spamRules', teamId],
    queryFn: async ({ pageParam, signal }) =>
      (await request(RULES, { teamId, before: pageParam }, signal)).spamRules,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasPreviousPage ? pageInfo.startCursor : undefined),
  });

/** What a team has decided about senders and words, the latest rule first, and a form for another. */
export function SpamRules({ teamId, mayManage }: { teamId: string; mayManage: boolean }) {
  const t = useText();
  const client = useQueryClient();
  const faultWords = useFaultWords();
  const rules = useInfiniteQuery(rulesQuery(teamId));
  const [kind, setKind] = useState<Kind>('blocked_sender');
  const [value, setValue] = useState('');
  const refresh = () => client.invalidateQueries({ queryKey: ['spamRules', teamId] });
  const add = useMutation({
    mutationFn: (rule: { kind: Kind; value: string }) => request(ADD, { teamId, ...rule }),
    onSuccess: (_answer, added) => {
      // What was typed while it was sent is another rule.
      setValue((now) => (now === added.value ? '' : now));
      return refresh();
    },
  });
  const addAgain = useMutation({
    mutationFn: (removed: Rule) => request(ADD, { teamId, kind: removed.kind, value: removed.value }),
    onSuccess: refresh,
    onError: (error) => say(describeError(error, t).text),
  });
  const remove = useMutation({
    mutationFn: ({ id }: Rule) => request(DELETE, { id }),
    onSuccess: (answer, removed) =>
      sayOnce(answer, t('spamSettings.removed', { value: removed.value }), () => addAgain.mutate(removed)),
    onSettled: refresh,
  });
  return (
    <Section title={t('spamSettings.rules')}>
      <Loaded query={rules}>
        {({ pages }) => {
          const shown = pages.flatMap(({ edges }) => edges.toReversed());
          if (shown.length === 0) return <p>{t('spamSettings.noRules')}</p>;
          return (
            <ul aria-label={t('spamSettings.rules')}>
              {shown.map(({ node }) => (
                <li key={node.id} className={styles.rule}>
                  <span className={styles.kind}>{t(`spamSettings.${node.kind}`)}</span>
                  <bdi className={styles.value}>{node.value}</bdi>
                  {mayManage && (
                    <Button
                      variant="quiet"
                      aria-label={t('spamSettings.remove', { value: node.value })}
                      onPress={() => remove.mutate(node)}
                    >
                      <CloseIcon />
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <MoreButton query={rules}>{t('spamSettings.more')}</MoreButton>
      {remove.error && <ErrorBox error={remove.error} />}
      {mayManage && (
        <Form
          onSubmit={() => add.mutate({ kind, value })}
          error={add.error}
          fieldErrors={({ fields }) => ({ value: faultWords(fields).value })}
        >
          <Select<Kind>
            label={t('spamSettings.kind')}
            value={kind}
            options={KINDS.map((each) => ({ value: each, text: t(`spamSettings.${each}`) }))}
            onChange={setKind}
          />
          <TextField
            name="value"
            label={t('spamSettings.value')}
            isRequired
            value={value}
            onChange={setValue}
          />
          <FormActions>
            <Button type="submit" isPending={add.isPending}>
              {t('spamSettings.add')}
            </Button>
          </FormActions>
        </Form>
      )}
    </Section>
  );
}
