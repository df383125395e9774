import { regionalLocale } from '../../lib/text/regional-locale.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { type EmailPage, type EmailSection, linkRow, renderHtml } from '../../notifications/email.html.js';
import { renderText } from '../../notifications/email.text.js';
import type { MonthlyFigures, MonthTotals, NamedCount } from './monthly-figures.js';
import { type MonthlyReportKey, reportId } from './monthly-report.job.js';
import { monthlyReportWords } from './monthly-report.words.js';

/** The content of a team's report of a month to an owner. */
export type MonthlyReport = Readonly<{
  key: MonthlyReportKey;
  createdAt: Date;
  teamName: string;
  locale: string;
  recipient: string;
  /** The URL of the page with all figures of the month. */
  address: string;
  figures: MonthlyFigures;
}>;

const TOTALS = ['leads', 'visitors', 'pageViews'] as const satisfies readonly (keyof MonthTotals)[];

const row = (label: string, value: string) => ({ label: singleLine(label), value });

/** Renders the report of a month. The function is pure. */
export function renderMonthlyReport(report: MonthlyReport) {
  const { key, createdAt, teamName, locale, recipient, address, figures } = report;
  const words = monthlyReportWords(locale);
  const { language } = words;
  const region = regionalLocale(language);
  const number = new Intl.NumberFormat(region);
  const percent = new Intl.NumberFormat(region, { style: 'percent', maximumFractionDigits: 1 });
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' });
  const month = new Intl.DateTimeFormat(region, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${key.month}-01T00:00:00Z`),
  );

  const conversion = ({ leads, visitors }: MonthTotals): string =>
    visitors === 0 ? '–' : percent.format(leads / visitors);
  const counted = (entries: readonly NamedCount[]) =>
    entries.map(({ name, count }) => row(name, number.format(count)));
  const { totals, before, languages, pages, campaigns } = figures;
  const lists = [
    {
      title: words.campaigns,
      rows: campaigns.map(({ name, visits, leads }) =>
        row(name, words.campaign(number.format(visits), number.format(leads))),
      ),
    },
    { title: words.pages, rows: counted(pages) },
    {
      title: words.languages,
      rows: counted(languages.map(({ name, count }) => ({ name: names.of(name) ?? name, count }))),
    },
  ];
  const sections: EmailSection[] = [
    {
      title: null,
      note: null,
      rows: [
        ...TOTALS.map((name) =>
          row(words[name], words.compared(number.format(totals[name]), number.format(before[name]))),
        ),
        row(words.conversion, words.compared(conversion(totals), conversion(before))),
      ],
    },
    ...lists.filter(({ rows }) => rows.length > 0).map((list) => ({ ...list, note: null })),
    { title: null, note: words.why, rows: [linkRow(words.page, address)] },
  ];
  const title = singleLine(words.subject(teamName, month));
  const introduction = words.introduction(singleLine(teamName), month);
  const page: EmailPage = { language, title, introduction, warning: null, sections };
  return {
    id: reportId(key),
    date: createdAt,
    to: [recipient],
    replyTo: null,
    subject: title,
    text: renderText(page),
    html: renderHtml(page),
  } satisfies MailMessage;
}
