import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { graphql, type ResultOf, request } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Fact, Facts } from '../parts/layout/facts.js';
import { Page, Section } from '../parts/layout/page.js';
import { Moment } from '../parts/time/moment.js';
import styles from './consent.module.css';

const PROOF = graphql(`
  query consentProof($id: ID!) {
    submission(id: $id) {
      id
      createdAt
      locale
      emails
      pageUrl
      formVersion
      currentFormVersion
      requestId
      website {
        name
        host
        timeZone
      }
      form {
        name
        slug
      }
      consents {
        name
        label
        locale
      }
    }
  }
`);

type Proof = ResultOf<typeof PROOF>['submission'];

const route = getRouteApi('/shell/inbox/$id/consent');

/** A document to print: to what a visitor agreed, in the words and the language that the visitor saw, and when. */
export function ConsentPage() {
  const t = useText();
  const { id } = route.useParams();
  const proof = useQuery({
    queryKey: ['consentProof', id],
    queryFn: async ({ signal }) => (await request(PROOF, { id }, signal)).submission,
  });
  return (
    <Page
      title={t('proof.title')}
      actions={
        <p className={styles.actions}>
          <Link to="/inbox/$id" params={{ id }} search={({ team }) => ({ team })}>
            {t('proof.back')}
          </Link>
          <Button onPress={() => print()}>{t('proof.print')}</Button>
        </p>
      }
    >
      <Loaded query={proof}>{(submission) => <Document proof={submission} />}</Loaded>
    </Page>
  );
}

function Document({ proof }: { proof: Proof }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const languageOf = (code: string) => formatDisplayName(code, { type: 'language' }) ?? code;
  const { website, form, consents, formVersion, currentFormVersion: current } = proof;
  const isSeen = current !== null;
  if (consents.length === 0) return <EmptyState title={t('proof.none')} />;
  return (
    <article className={styles.document}>
      {consents.map(({ name, label, locale }) => (
        <Section key={name} title={t('proof.consent', { name })}>
          <blockquote className={styles.text} lang={locale} dir="auto">
            {label}
          </blockquote>
          <p className={styles.language}>
            {t(isSeen ? 'proof.language' : 'proof.languageOfForm', { language: languageOf(locale) })}
          </p>
        </Section>
      ))}
      <Section title={t('proof.circumstances')}>
        <Facts>
          <Fact label={t('proof.given')}>
            <Moment at={proof.createdAt} timeZone={website.timeZone} isZoneNamed />
            <br />
            <code>{proof.createdAt}</code>
          </Fact>
          <Fact label={t('proof.person')}>{proof.emails.join(', ') || t('proof.unknown')}</Fact>
          <Fact label={t('proof.website')}>
            <bdi>{website.name}</bdi> ({website.host})
          </Fact>
          <Fact label={t('proof.page')}>{proof.pageUrl ?? t('proof.unknown')}</Fact>
          <Fact label={t('proof.form')}>
            <bdi>{form.name}</bdi> ({form.slug}), {t('proof.version', { version: formVersion })}
            {isSeen && current !== formVersion && (
              <>
                <br />
                {t('proof.versionSeen', { version: formVersion, current })}
              </>
            )}
          </Fact>
          <Fact label={t('proof.formLanguage')}>{languageOf(proof.locale)}</Fact>
          <Fact label={t('proof.lead')}>
            <code>{proof.id}</code>
          </Fact>
          {proof.requestId && (
            <Fact label={t('proof.request')}>
              <code>{proof.requestId}</code>
            </Fact>
          )}
        </Facts>
      </Section>
      <p className={styles.language}>{t(isSeen ? 'proof.note' : 'proof.noteUnknown')}</p>
    </article>
  );
}
