import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Form } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Select } from '../../parts/select.js';
import { TextField } from '../../parts/text-field.js';

const RULES = graphql(`
  query spamRules($teamId: ID!) {
    spamRules(teamId: $teamId, last: 100) {
      edges {
        node {
          id
          kind
          value
        }
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

type Kind = ResultOf<typeof RULES>['spamRules']['edges'][number]['node']['kind'];

const KINDS: readonly Kind[] = ['blocked_sender', 'blocked_domain', 'blocked_word', 'trusted_sender'];

const rulesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['spamRules', teamId],
    queryFn: ({ signal }) => request(RULES, { teamId }, signal),
  });

/** What a team has decided about senders and words: the latest hundred rules, and a form for another. */
export function SpamRules({ teamId, mayManage }: { teamId: string; mayManage: boolean }) {
  const t = useText();
  const client = useQueryClient();
  const rules = useQuery(rulesQuery(teamId));
  const [kind, setKind] = useState<Kind>('blocked_sender');
  const [value, setValue] = useState('');
  const refresh = () => client.invalidateQueries({ queryKey: ['spamRules', teamId] });
  const add = useMutation({
    mutationFn: () => request(ADD, { teamId, kind, value }),
    onSuccess: async () => {
      setValue('');
      await refresh();
    },
  });
  const remove = useMutation({ mutationFn: (id: string) => request(DELETE, { id }), onSuccess: refresh });
  return (
    <>
      <h3>{t('spamSettings.rules')}</h3>
      <Loaded query={rules}>
        {({ spamRules: { edges } }) =>
          edges.length === 0 ? (
            <p>{t('spamSettings.noRules')}</p>
          ) : (
            <ul aria-label={t('spamSettings.rules')}>
              {edges.map(({ node }) => (
                <li key={node.id}>
                  {t(`spamSettings.${node.kind}`)}: <bdi>{node.value}</bdi>{' '}
                  {mayManage && (
                    <Button
                      variant="quiet"
                      aria-label={t('spamSettings.remove', { value: node.value })}
                      onPress={() => remove.mutate(node.id)}
                    >
                      ×
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {remove.error && <ErrorBox error={remove.error} />}
      {mayManage && (
        <Form onSubmit={() => add.mutate()} error={add.error}>
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
          <Button type="submit" isPending={add.isPending}>
            {t('spamSettings.add')}
          </Button>
        </Form>
      )}
    </>
  );
}
