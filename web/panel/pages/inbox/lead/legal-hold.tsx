import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, use, useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { say, sayOnce } from '../../../parts/overlays/toasts.js';
import { Moment } from '../../../parts/time/moment.js';
import { inRoom } from '../../../room.js';
import { LeadContext } from './lead-context.js';
import { type Lead, leadQuery, SET_LEGAL_HOLD } from './lead-queries.js';
import styles from './lead-view.module.css';

const RELEASE = graphql(`
  mutation releaseLegalHold($submissionId: ID!) {
    releaseLegalHold(submissionId: $submissionId)
  }
`);

const HoldDialog = inRoom(
  'leadDialogs',
  lazyRouteComponent(() => import('../selection/hold-dialog.js'), 'HoldDialog'),
);

type Props = { lead: Lead; mayManage: boolean };

/** The legal hold of a lead: since when and why, and the button that releases it. */
export function LegalHold({ lead, mayManage }: Props) {
  const t = useText();
  const { formatMessage } = useIntl();
  const client = useQueryClient();
  const { focusHeading } = use(LeadContext)!;
  const { id: submissionId, legalHold, website } = lead;
  const isHeld = legalHold !== null;
  const wasHeld = useRef(isHeld);
  useEffect(() => {
    if (wasHeld.current === isHeld) return;
    wasHeld.current = isHeld;
    // The button that sets or releases a hold goes with the press.
    if (document.activeElement === document.body) focusHeading();
  }, [isHeld, focusHeading]);
  const readAgain = () => client.invalidateQueries(leadQuery(submissionId));
  const holdAgain = useMutation({
    mutationFn: (reason: string) => request(SET_LEGAL_HOLD, { submissionId, reason }),
    onSuccess({ setLegalHold: isSet }) {
      if (!isSet) say(t('hold.stays'));
      return readAgain();
    },
    onError: (error) => say(describeError(error, t).text),
  });
  const release = useMutation({
    mutationFn: (_reason: string) => request(RELEASE, { submissionId }),
    onSuccess: (answer, reason) => {
      sayOnce(answer, t('hold.released'), () => holdAgain.mutate(reason));
      return readAgain();
    },
  });
  if (!legalHold) return null;
  return (
    <div className={styles.hold}>
      <p>
        {formatMessage(
          { id: 'hold.since' },
          {
            since: <Moment at={legalHold.since} timeZone={website.timeZone} />,
            reason: <bdi>{legalHold.reason}</bdi>,
          },
        )}
      </p>
      {mayManage && (
        <Button onPress={() => release.mutate(legalHold.reason)} isPending={release.isPending}>
          {t('hold.release')}
        </Button>
      )}
      {release.error && <ErrorBox error={release.error} />}
    </div>
  );
}

/** The button that puts a lead under legal hold, after it has asked why. */
export function HoldButton({ submissionId }: { submissionId: string }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>{t('hold.set')}</Button>
      <Suspense>
        {isAsking && <HoldDialog submissionId={submissionId} onClose={() => setAsking(false)} />}
      </Suspense>
    </>
  );
}
