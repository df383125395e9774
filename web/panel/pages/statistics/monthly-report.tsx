import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { say } from '../../parts/overlays/toasts.js';
import own from '../statistics.module.css';
import { type ReportedTeam, setMonthlyReport, teamQuery } from './queries.js';

/** Lets a manager choose whether the owners get the report of each month by e-mail. */
export function MonthlyReport({ team }: { team: ReportedTeam }) {
  const t = useText();
  const client = useQueryClient();
  const { queryKey } = teamQuery(team.id);
  const set = useMutation({
    mutationFn: (isSent: boolean) => setMonthlyReport(team.id, isSent),
    async onMutate(isSent) {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, { ...team, monthlyReport: isSent });
    },
    onSuccess: (_done, isSent) => say(t(isSent ? 'report.isSent' : 'report.isNotSent')),
    onError: () => client.setQueryData(queryKey, team),
  });
  return (
    <section className={own.monthly} aria-label={t('report.monthly')}>
      <Checkbox
        label={t('report.send')}
        isSelected={team.monthlyReport}
        onChange={(isSent) => set.mutate(isSent)}
      />
      <p className={own.hint}>{t('report.sendText')}</p>
      {set.error && <ErrorBox error={set.error} />}
    </section>
  );
}
