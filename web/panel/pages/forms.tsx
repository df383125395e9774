import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { MoreButton } from '../parts/buttons/more-button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Badge } from '../parts/layout/badge.js';
import { Page } from '../parts/layout/page.js';
import { Table } from '../parts/layout/table.js';
import { useManagesAny, useViewer } from '../session.js';
import { CreateDialog } from './forms/create-dialog.js';
import { formsQuery, type ListedForm } from './forms/queries.js';
import { Search } from './forms/search.js';
import styles from './forms.module.css';

const route = getRouteApi('/shell/forms');

/** The forms in view: where each is placed, its languages and what it lacks in them. */
export function FormsPage() {
  const t = useText();
  const { team, q, create } = route.useSearch();
  const navigate = useNavigate();
  const forms = useInfiniteQuery(formsQuery(team, q));
  const rows = (forms.data?.pages ?? []).flatMap(({ edges }) => edges.map(({ node }) => node));
  const mayCreate = useManagesAny();
  const { staff, teams } = useViewer();
  const hasTeams = team === undefined && (staff || teams.length > 1);
  const setCreating = (isCreating: boolean) =>
    void navigate({
      to: '.',
      search: (given) => ({ ...given, create: isCreating || undefined }),
      replace: !isCreating,
    });
  return (
    <Page
      title={t('forms.title')}
      actions={mayCreate && <Button onPress={() => setCreating(true)}>{t('forms.create')}</Button>}
    >
      {mayCreate && create && <CreateDialog team={team} onClose={() => setCreating(false)} />}
      <Search />
      <Loaded query={forms}>
        {() =>
          rows.length > 0 && (
            <div data-old={forms.isPlaceholderData || undefined}>
              <FormsTable forms={rows} hasTeams={hasTeams} />
            </div>
          )
        }
      </Loaded>
      <div role="status">
        {forms.data && rows.length === 0 && <NoForms isSearch={q !== undefined} mayCreate={mayCreate} />}
      </div>
      <MoreButton query={forms}>{t('forms.showMore')}</MoreButton>
    </Page>
  );
}

function NoForms({ isSearch, mayCreate }: { isSearch: boolean; mayCreate: boolean }) {
  const t = useText();
  return (
    <EmptyState title={t(isSearch ? 'forms.noneFound' : 'forms.none')}>
      {isSearch ? (
        <Link to="/forms" search={({ team }) => ({ team })}>
          {t('filter.widen')}
        </Link>
      ) : (
        mayCreate && <p>{t('forms.first')}</p>
      )}
    </EmptyState>
  );
}

function FormsTable({ forms, hasTeams }: { forms: readonly ListedForm[]; hasTeams: boolean }) {
  const t = useText();
  const team = hasTeams ? [t('forms.team')] : [];
  return (
    <Table
      label={t('forms.title')}
      headings={[t('forms.name'), ...team, t('forms.placed'), t('forms.languages'), t('forms.missing')]}
    >
      {forms.map((form) => (
        <Row key={form.id} form={form} hasTeams={hasTeams} />
      ))}
    </Table>
  );
}

function Row({ form, hasTeams }: { form: ListedForm; hasTeams: boolean }) {
  const { id, name, slug, active, locales, links, missingTranslations } = form;
  const t = useText();
  const { formatDisplayName, formatList } = useIntl();
  const languageOf = (locale: string) => formatDisplayName(locale, { type: 'language' }) ?? locale;
  const [first, ...others] = links.map(({ website }) => website.name);
  const missing = missingTranslations.map(({ locale, texts }) =>
    t('forms.missingIn', { count: texts.length, language: languageOf(locale) }),
  );
  return (
    <tr>
      <td>
        <Link to="/forms/$formId" params={{ formId: id }}>
          {name}
        </Link>{' '}
        <span className={styles.slug}>{slug}</span>{' '}
        {!active && <Badge tone="warning">{t('form.inactive')}</Badge>}
      </td>
      {hasTeams && <td>{form.team.name}</td>}
      <td>
        {first === undefined && <span className={styles.slug}>{t('forms.nowhere')}</span>}
        {first !== undefined && (others.length ? t('forms.more', { first, count: others.length }) : first)}
      </td>
      <td>{formatList(locales.map(languageOf), { type: 'unit' })}</td>
      <td>{missing.length > 0 ? formatList(missing, { type: 'unit' }) : t('forms.complete')}</td>
    </tr>
  );
}
