import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { useText } from '../../../language.js';
import { type Option, SearchSelectMany } from '../../../parts/fields/search-select.js';
import { formsQuery, type Webhook, websitesQuery } from './queries.js';

/** The websites and forms that a webhook is narrowed to; none: all of the team. */
export type Narrowing = Readonly<{ websiteIds: readonly string[]; formIds: readonly string[] }>;

type Props = Readonly<{
  teamId: string;
  /** Null: a new one. */
  webhook: Webhook | null;
  value: Narrowing;
  onChange(value: Narrowing): void;
}>;

/** Chooses the websites and forms that a webhook is narrowed to. What is gone stays a choice, to be taken out. */
export function NarrowingFields({ teamId, webhook, value, onChange }: Props) {
  const t = useText();
  const [websiteSearch, setWebsiteSearch] = useState('');
  const [formSearch, setFormSearch] = useState('');
  const websites = useQuery(websitesQuery(teamId, websiteSearch));
  const forms = useQuery(formsQuery(teamId, formSearch));
  return (
    <>
      <NarrowingField
        label={t('webhooks.websites')}
        placeholder={t('webhooks.allWebsites')}
        before={(webhook?.websites ?? []).map(({ id, name }) => ({
          value: id,
          text: name ?? t('webhooks.goneWebsite', { id }),
        }))}
        values={value.websiteIds}
        query={websites}
        found={(websites.data?.edges ?? []).map(({ node }) => node)}
        hasMore={websites.data?.pageInfo.hasNextPage}
        isSearching={websiteSearch !== ''}
        onSearch={setWebsiteSearch}
        onChange={(websiteIds) => onChange({ ...value, websiteIds })}
      />
      <NarrowingField
        label={t('webhooks.forms')}
        placeholder={t('webhooks.allForms')}
        before={(webhook?.forms ?? []).map(({ id, name }) => ({
          value: id,
          text: name ?? t('webhooks.goneForm', { id }),
        }))}
        values={value.formIds}
        query={forms}
        found={(forms.data?.edges ?? []).map(({ node }) => node)}
        hasMore={forms.data?.pageInfo.hasNextPage}
        isSearching={formSearch !== ''}
        onSearch={setFormSearch}
        onChange={(formIds) => onChange({ ...value, formIds })}
      />
      {value.websiteIds.length > 0 && <p>{t('webhooks.narrowHint')}</p>}
    </>
  );
}

type FieldProps = Readonly<{
  label: string;
  placeholder: string;
  /** What the webhook was narrowed to when the dialog opened. */
  before: readonly Option[];
  values: readonly string[];
  query: ComponentProps<typeof SearchSelectMany>['query'];
  found: readonly { id: string; name: string }[];
  hasMore: boolean | undefined;
  isSearching: boolean;
  onSearch(text: string): void;
  onChange(values: readonly string[]): void;
}>;

/** Chooses several by a search; before anything is searched for, what was chosen comes first. */
function NarrowingField({ before, values, found, isSearching, onChange, ...shared }: FieldProps) {
  const [known, setKnown] = useState(before);
  const isKnown = (value: string) => known.some((option) => option.value === value);
  const results = found.map(({ id, name }) => ({ value: id, text: name }));
  const options = isSearching ? results : [...known, ...results.filter(({ value }) => !isKnown(value))];
  return (
    <SearchSelectMany
      {...shared}
      values={values}
      known={known}
      options={options}
      onChange={(chosen) => {
        setKnown([...known, ...results.filter(({ value }) => chosen.includes(value) && !isKnown(value))]);
        onChange(chosen);
      }}
    />
  );
}
