import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { CheckIcon } from '../../../parts/icons/icons.js';
import { useMayManage } from '../../../session.js';
import { linkOf, webAddressOf } from '../links.js';
import { Part } from '../part.js';
import { type Lead, tokenNamesQuery } from './lead-queries.js';
import styles from './lead-view.module.css';

/** As much of a long value as shows until all of it is asked for, in characters and in lines. */
const SHOWN_CHARACTERS = 1_500;
const SHOWN_LINES = 24;

/** A day as forms send it. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** More digits than a number can have, so that none is rounded away. */
const ALL_DIGITS = 21;

type ValueProps = { type: string | null; text: string; value?: unknown };

/** A value that a visitor sent: text, in whichever direction it is written. */
function Value({ type, text, value }: ValueProps) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const [isWhole, setWhole] = useState(false);
  if (type === 'date' && DAY.test(text) && !Number.isNaN(Date.parse(text))) {
    // A day has no time zone: read and shown in one and the same, it stays the day that was typed.
    const day = formatDate(text, { dateStyle: 'full', timeZone: 'UTC' });
    return <time dateTime={text}>{day}</time>;
  }
  if (typeof value === 'number') {
    // Four digits are not grouped: they may be a year.
    return formatNumber(value, { maximumSignificantDigits: ALL_DIGITS, useGrouping: 'min2' });
  }
  const link = linkOf(type, text);
  if (link) {
    return (
      <a
        href={link}
        rel="noopener noreferrer nofollow"
        target={link.startsWith('http') ? '_blank' : undefined}
      >
        {text}
      </a>
    );
  }
  const cut = text.split('\n').slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS).toWellFormed();
  if (isWhole || cut.length === text.length) return text;
  return (
    <>
      <span className={styles.cut}>
        {cut}…
        <br />
        <Button variant="quiet" onPress={() => setWhole(true)}>
          {t('lead.whole', { count: text.length })}
        </Button>
      </span>
      <span className={styles.printed}>{text}</span>
    </>
  );
}

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={styles.field}>
    <dt dir="auto">{label}</dt>
    <dd dir="auto">{children}</dd>
  </div>
);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 1);

/** Leads to the version of the form that the lead is recorded with, where it is kept. */
function FormVersion({ lead: { form, formVersion, isFormVersionKept } }: { lead: Lead }) {
  const t = useText();
  const versions = { version: formVersion, present: form.version };
  if (!isFormVersionKept) return t('lead.formVersionLost', versions);
  const isPresent = formVersion === form.version;
  return (
    <Link to="/forms/$formId" params={{ formId: form.id }} search={{ tab: 'history', version: formVersion }}>
      {t(isPresent ? 'lead.formVersionPresent' : 'lead.formVersionOf', versions)}
    </Link>
  );
}

/** Names the integration token that a lead was sent with, to who manages the tokens of the team. */
function SendingToken({ teamId, tokenId }: { teamId: string; tokenId: string }) {
  const mayManage = useMayManage(teamId);
  const { data: tokens = [] } = useQuery({ ...tokenNamesQuery(teamId), enabled: mayManage });
  const name = tokens.find(({ id }) => id === tokenId)?.name;
  if (!mayManage) return tokenId;
  return (
    <Link to="/teams/$teamId" params={{ teamId }} search={({ team }) => ({ team, tab: 'tokens' })}>
      <bdi>{name ?? tokenId}</bdi>
    </Link>
  );
}

/** What the visitor sent, agreed to, and from where. */
export function LeadMessage({ lead }: { lead: Lead }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const { fields, consents, undeclared, attribution, captchaGround, captchaKey } = lead;
  const consented = new Set(consents.map(({ name }) => name));
  const values = fields.filter(({ name, text }) => !consented.has(name) && text !== '');
  const extra = Object.entries(undeclared as Record<string, unknown>);
  // A page may declare a language that is none.
  const languageOf = (code: string) => formatDisplayName(code, { type: 'language' }) ?? code;
  const current = lead.currentFormVersion;
  const wasEdited = current !== null && current !== lead.formVersion;
  const page = lead.pageUrl && webAddressOf(lead.pageUrl);
  const campaign = attribution && [
    attribution.utmSource,
    attribution.utmMedium,
    attribution.utmCampaign,
    attribution.utmTerm,
    attribution.utmContent,
  ];
  return (
    <Part title={t('lead.message')}>
      {values.length === 0 && <p className={styles.none}>{t('lead.noFields')}</p>}
      <dl className={styles.fields}>
        {values.map(({ name, label, type, value, text }) => (
          <Row key={name} label={label}>
            <Value type={type} value={value} text={text} />
          </Row>
        ))}
      </dl>
      {consents.map(({ name, label, locale }) => (
        <p key={name} className={styles.consent}>
          <CheckIcon />
          <span dir="auto" lang={locale}>
            {label}
          </span>
        </p>
      ))}
      {consents.length > 0 && (
        <p>
          <Link to="/inbox/$id/consent" params={{ id: lead.id }} search={({ team }) => ({ team })}>
            {t('lead.consentProof')}
          </Link>
        </p>
      )}
      {extra.length > 0 && (
        <>
          <h4>{t('lead.undeclared')}</h4>
          <dl className={styles.fields}>
            {extra.map(([name, value]) => (
              <Row key={name} label={name}>
                <Value type={null} value={value} text={textOf(value)} />
              </Row>
            ))}
          </dl>
        </>
      )}
      <h4>{t('lead.origin')}</h4>
      <dl className={styles.fields}>
        {lead.pageUrl && (
          <Row label={t('lead.page')}>
            {lead.pageTitle && <span>{lead.pageTitle} </span>}
            {page ? (
              <a href={page} rel="noopener noreferrer nofollow" target="_blank">
                {lead.pageUrl}
              </a>
            ) : (
              lead.pageUrl
            )}
          </Row>
        )}
        {lead.pageLocale && <Row label={t('lead.pageLanguage')}>{languageOf(lead.pageLocale)}</Row>}
        <Row label={t('lead.language')}>{languageOf(lead.locale)}</Row>
        {attribution?.referrer && (
          <Row label={t('lead.referrer')}>
            <Value type={null} text={attribution.referrer} />
          </Row>
        )}
        {campaign?.some(Boolean) && (
          <Row label={t('lead.campaign')}>{campaign.filter(Boolean).join(' · ')}</Row>
        )}
        <Row label={t('lead.captcha')}>
          {t(`captcha.${captchaGround}`)}
          {captchaKey && <span className={styles.none}> ({captchaKey})</span>}
        </Row>
        <Row label={t('lead.formVersion')}>
          <FormVersion lead={lead} />
          {wasEdited && <p>{t('lead.formVersionSeen', { version: lead.formVersion, current })}</p>}
        </Row>
        {lead.tokenId && (
          <Row label={t('lead.token')}>
            <SendingToken teamId={lead.teamId} tokenId={lead.tokenId} />
          </Row>
        )}
        {lead.requestId && (
          <Row label={t('lead.request')}>
            <code>{lead.requestId}</code>
          </Row>
        )}
        <Row label={t('lead.id')}>
          <code>{lead.id}</code>
        </Row>
      </dl>
    </Part>
  );
}
