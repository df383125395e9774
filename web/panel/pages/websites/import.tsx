import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { request, TOO_LARGE } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import field from '../../parts/fields/field.module.css';
import { TextArea } from '../../parts/fields/text-area.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { Page } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { readText } from '../../parts/read-text.js';
import { TeamField, useTeam } from '../../parts/teams/team-field.js';
import { useManagesAny } from '../../session.js';
import styles from './import.module.css';
import { ImportPreview, ImportSummary } from './import-preview.js';
import { IMPORT } from './queries.js';

/** A file to begin with, as spreadsheets open it. */
const SAMPLE = [
  'name,host,url,locale,email,time_zone,company,address,zipcode,city,country,phone,logo,departments',
  'Garage Morel,www.garage-morel.example,https://www.garage-morel.example,fr,contact@garage-morel.example,' +
    'Europe/Paris,Garage Morel SARL,12 rue des Lilas,69003,Lyon,France,+33 4 00 00 00 00,,69 01',
].join('\r\n');

/** Maximum length of a file that the gateway takes, and what it can have in bytes of UTF-8. */
const MOST_CHARACTERS = 200_000;
const MOST_BYTES = 3 * MOST_CHARACTERS;

type FileFault = 'not_utf8' | 'too_long';

/** Websites from a table: what it holds is checked and shown before anything is created. */
export function ImportPage() {
  const t = useText();
  const mayManage = useManagesAny();
  const { team: inAddress } = useSearch({ strict: false });
  const choice = useTeam(inAddress);
  const { team } = choice;
  const [csv, setCsv] = useState('');
  const [fileFault, setFileFault] = useState<FileFault | null>(null);
  const file = useId();
  const navigate = useNavigate();
  const client = useQueryClient();
  const run = (dryRun: boolean) => async () =>
    (await request(IMPORT, { teamId: team!.id, csv, dryRun })).importWebsites;
  const check = useMutation({ mutationFn: run(true) });
  const create = useMutation({
    mutationFn: run(false),
    onSuccess: async ({ created }) => {
      if (created === 0) return;
      say(t('import.created', { count: created }));
      await client.invalidateQueries({ queryKey: ['websites'] });
      await navigate({ to: '/websites', ignoreBlocker: true });
    },
  });
  // What the gateway has found of another text or for another team is no longer true.
  const change = (text: string) => {
    setCsv(text);
    setFileFault(null);
    check.reset();
    create.reset();
  };
  const read = async (chosen: File) => {
    const isTooLong = chosen.size > MOST_BYTES;
    const text = isTooLong ? null : await readText(chosen);
    change(text ?? '');
    if (text === null) setFileFault(isTooLong ? 'too_long' : 'not_utf8');
  };
  const found = create.data ?? check.data;
  const error = check.error ?? create.error;
  if (!mayManage) {
    return (
      <Page title={t('websites.import')}>
        <EmptyState title={t('error.FORBIDDEN')} />
      </Page>
    );
  }
  return (
    <Page title={t('websites.import')}>
      <LeaveGuard isDirty={csv.trim() !== ''} />
      <div className={styles.form}>
        <Form
          onSubmit={() => {
            create.reset();
            check.mutate();
          }}
          error={error}
          // A letter beyond ASCII takes several bytes of a request, so that fewer characters may be too many.
          fieldErrors={({ code }) => ({ csv: code === TOO_LARGE && t('import.tooLarge') })}
        >
          <p>{t('import.text')}</p>
          <a
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(`\uFEFF${SAMPLE}\r\n`)}`}
            download="websites.csv"
          >
            {t('import.sample')}
          </a>
          <TeamField
            {...choice}
            setTeam={(chosen) => {
              choice.setTeam(chosen);
              change(csv);
            }}
          />
          <div className={styles.file}>
            <label htmlFor={file}>{t('import.file')}</label>
            <input
              id={file}
              type="file"
              aria-invalid={fileFault !== null}
              aria-describedby={fileFault ? `${file}-fault` : undefined}
              accept=".csv,.tsv,.txt,text/csv"
              // The same file is read again once it is mended.
              onClick={({ currentTarget }) => {
                currentTarget.value = '';
              }}
              onChange={({ target }) => {
                const [chosen] = target.files ?? [];
                if (chosen) void read(chosen);
              }}
            />
            {fileFault && (
              <p role="alert" id={`${file}-fault`} className={field.error}>
                {fileFault === 'not_utf8'
                  ? t('import.notUtf8')
                  : t('import.tooLong', { count: MOST_CHARACTERS })}
              </p>
            )}
          </div>
          <TextArea
            name="csv"
            label={t('import.paste')}
            value={csv}
            onChange={change}
            maxLength={MOST_CHARACTERS}
            spellCheck="false"
          />
          <FormActions>
            <Button
              type="submit"
              variant={found && found.faultCount === 0 ? 'plain' : 'primary'}
              isPending={check.isPending}
              isDisabled={!team || csv.trim() === '' || csv.length > MOST_CHARACTERS}
            >
              {t('import.check')}
            </Button>
          </FormActions>
        </Form>
      </div>
      <div role="status">{found && team && <ImportSummary found={found} team={team.name} />}</div>
      {found && team && (
        <ImportPreview
          found={found}
          team={team.name}
          isPending={create.isPending}
          onCreate={() => create.mutate()}
        />
      )}
    </Page>
  );
}
