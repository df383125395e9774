import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { type Option, SearchSelect, SearchSelectMany } from '../../parts/fields/search-select.js';
import { Select } from '../../parts/fields/select.js';
import { Form } from '../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { nameChain } from '../../parts/step-name.js';
import { manages, useViewer } from '../../session.js';
import { platformQuery } from '../../website-settings/queries.js';
import { chainsQuery, EDIT_MANY, type ListedWebsite } from './queries.js';

type Props = { websites: readonly ListedWebsite[]; onClose(): void; onDone(): void };

const KEEP = 'keep';

/** What becomes of the captcha chains. */
const CHAINS = ['keep', 'clear', 'copy'] as const;
type Chain = (typeof CHAINS)[number];

/** Changes what the selected websites are to have in common; what is kept differs on. */
export function EditDialog({ websites, onClose, onDone }: Props) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const client = useQueryClient();
  const viewer = useViewer();
  const { data: platform, error: unread, refetch } = useQuery(platformQuery);
  const [locale, setLocale] = useState(KEEP);
  const [chain, setChain] = useState<Chain>('keep');
  const [source, setSource] = useState<Option | null>(null);
  const [search, setSearch] = useState('');
  const [hasDepartments, setHasDepartments] = useState(false);
  const [departments, setDepartments] = useState<readonly string[]>([]);
  const sources = useQuery({ ...chainsQuery(search), enabled: chain === 'copy' });
  const edit = useMutation({
    mutationFn: () =>
      request(EDIT_MANY, {
        ids: websites.map(({ id }) => id),
        input: {
          ...(locale !== KEEP && { locale }),
          ...(hasDepartments && { departments: [...departments] }),
          ...(chain === 'clear' && { clearCaptchaChain: true }),
          ...(chain === 'copy' && { captchaChainOf: source!.value }),
        },
      }),
    onSuccess: async ({ editWebsites }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['websites'] }),
        client.invalidateQueries({ queryKey: ['website'] }),
      ]);
      say(t('websites.edited', { changed: editWebsites, count: websites.length }));
      onDone();
    },
  });
  const isNothing = locale === KEEP && chain === 'keep' && !hasDepartments;
  return (
    <Dialog
      title={t('websites.editManyTitle', { count: websites.length })}
      isOpen
      onClose={onClose}
      isPending={edit.isPending}
    >
      <Form onSubmit={edit.mutate} error={edit.error}>
        <p>{t('websites.editManyText', { count: websites.length })}</p>
        {unread && <ErrorBox error={unread} onRetry={() => void refetch()} />}
        <Select
          label={t('website.language')}
          value={locale}
          onChange={setLocale}
          options={[
            { value: KEEP, text: t('websites.keep') },
            ...(platform?.locales ?? []).map((value) => ({
              value,
              text: formatDisplayName(value, { type: 'language' }) ?? value,
            })),
          ]}
        />
        <Select<Chain>
          label={t('websites.chain')}
          value={chain}
          onChange={setChain}
          options={CHAINS.map((value) => ({
            value,
            text: t(`websites.chain.${value}`),
          }))}
        />
        {chain === 'copy' && (
          <SearchSelect
            label={t('websites.chainOf')}
            placeholder={t('choice.choose')}
            value={source?.value ?? null}
            valueText={source?.text}
            query={sources}
            hasMore={sources.data?.pageInfo.hasNextPage}
            options={(sources.data?.edges ?? [])
              .filter(({ node }) => node.captchaChain.length > 0 && manages(viewer, node.teamId))
              .map(({ node }) => ({
                value: node.id,
                text: t('labelled', { label: node.name, value: nameChain(node.captchaChain, t) }),
              }))}
            onSearch={setSearch}
            onChange={setSource}
          />
        )}
        <Checkbox
          label={t('websites.replaceDepartments')}
          isSelected={hasDepartments}
          onChange={setHasDepartments}
        />
        {hasDepartments && platform && (
          <SearchSelectMany
            label={t('website.departments')}
            placeholder={t('website.noDepartments')}
            values={departments}
            options={platform.departments.map(({ code, name }) => ({ value: code, text: `${code} ${name}` }))}
            onChange={setDepartments}
          />
        )}
        <DialogButtons
          action={t('websites.editManyDo', { count: websites.length })}
          isDisabled={isNothing || (chain === 'copy' && !source)}
        />
      </Form>
    </Dialog>
  );
}
