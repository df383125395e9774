import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request, type VariablesOf } from '../../graphql.js';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Select } from '../../parts/fields/select.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { offeredLocale } from '../../parts/offered-locale.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { isSlug, slugOf } from '../../parts/slug.js';
import { TeamField, useTeam } from '../../parts/teams/team-field.js';
import { firstTexts } from './first-texts.js';

const LOCALES = graphql(`
  query newFormLocales {
    installation {
      locales
    }
  }
`);

const CREATE = graphql(`
  mutation createForm($teamId: ID!, $slug: String!, $input: FormInput!) {
    createForm(teamId: $teamId, slug: $slug, input: $input) {
      id
    }
  }
`);

type NewForm = VariablesOf<typeof CREATE>;

type Props = Readonly<{ team: string | undefined; onClose(): void }>;

/** Asks for what a form cannot do without, and opens the new form. */
export function CreateDialog({ team, onClose }: Props) {
  const t = useText();
  const locales = useQuery({
    queryKey: ['newFormLocales'],
    queryFn: async ({ signal }) => (await request(LOCALES, {}, signal)).installation.locales,
  });
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: async (form: NewForm) => (await request(CREATE, form)).createForm.id,
    onSuccess: async (formId) => {
      await client.invalidateQueries({ queryKey: ['forms'] });
      // The address of the dialog is left, so that *Back* does not open it again.
      await navigate({ to: '/forms/$formId', params: { formId }, replace: true });
    },
  });
  return (
    <Dialog title={t('forms.create')} isOpen onClose={onClose} isPending={create.isPending}>
      <Loaded query={locales}>
        {(offered) => <CreateForm team={team} locales={offered} create={create} />}
      </Loaded>
    </Dialog>
  );
}

type FormProps = Pick<Props, 'team'> &
  Readonly<{ locales: readonly string[]; create: UseMutationResult<string, Error, NewForm> }>;

function CreateForm({ team: inAddress, locales, create }: FormProps) {
  const t = useText();
  const { locale, formatDisplayName } = useIntl();
  const choice = useTeam(inAddress);
  const [name, setName] = useState('');
  /** Null while it follows the name. */
  const [ownSlug, setSlug] = useState<string | null>(null);
  const [language, setLanguage] = useState(() => offeredLocale(locales, locale));
  const slug = ownSlug ?? slugOf(name);
  const submit = () => {
    const input = { name, sourceLocale: language, ...firstTexts(language), fields: [] };
    create.mutate({ teamId: choice.team!.id, slug, input });
  };
  return (
    <Form
      onSubmit={submit}
      error={create.error}
      fieldErrors={({ fields }) => ({
        slug: fields.slug && t('forms.slugTaken'),
        name: fields['input.name'] && t('forms.nameFault'),
      })}
    >
      <TeamField {...choice} />
      <TextField
        name="name"
        label={t('forms.newName')}
        hint={t('forms.nameHint')}
        autoFocus
        autoComplete="off"
        isRequired
        maxLength={255}
        value={name}
        onChange={setName}
      />
      <TextField
        name="slug"
        label={t('forms.slug')}
        hint={t('forms.slugHint')}
        autoComplete="off"
        isRequired
        maxLength={100}
        value={slug}
        validate={(text) => (isSlug(text) ? null : t('forms.slugFault'))}
        onChange={setSlug}
      />
      <Select
        label={t('forms.language')}
        value={language}
        onChange={setLanguage}
        options={locales.map((value) => ({
          value,
          text: formatDisplayName(value, { type: 'language' }) ?? value,
        }))}
      />
      {!choice.team && <p>{t('team.needed')}</p>}
      <DialogButtons action={t('forms.create')} isDisabled={!choice.team} />
    </Form>
  );
}
