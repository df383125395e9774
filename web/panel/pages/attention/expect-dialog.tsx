import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { DAY_MS } from '../../../../src/lib/durations.js';
import { request, type VariablesOf } from '../../graphql.js';
import { useText } from '../../language.js';
import { describeError } from '../../parts/feedback/error-words.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say, sayOnce } from '../../parts/overlays/toasts.js';
import { dayOf, startOf } from '../../parts/time/day.js';
import { attentionChanged, END_SET_ASIDE } from '../../today.js';
import { SET_ASIDE } from './queries.js';

/** Days after which an item is listed again unless another day is chosen. */
const USUAL_DAYS = 14;

const MAX_DAYS = 366;

type Props = Readonly<{
  kind: VariablesOf<typeof SET_ASIDE>['kind'];
  websiteId: string;
  name: string;
  onClose(): void;
}>;

/** Asks until when items of a kind about a website are expected, and why; all of them are then left out of the list. */
export function ExpectDialog({ kind, websiteId, name, onClose }: Props) {
  const t = useText();
  const about = { name, kind: t(`health.kind.${kind}`) };
  const { formatDate } = useIntl();
  const client = useQueryClient();
  const [day, setDay] = useState(dayOf(new Date(), USUAL_DAYS));
  const [reason, setReason] = useState('');
  const readAgain = () => attentionChanged(client, websiteId);
  const list = useMutation({
    mutationFn: () => request(END_SET_ASIDE, { kind, websiteId }),
    onSuccess: readAgain,
    onError: (error) => say(describeError(error, t).text),
  });
  const expect = useMutation({
    mutationFn: () => request(SET_ASIDE, { kind, websiteId, until: startOf(day), reason }),
    onSuccess: async (answer) => {
      const until = formatDate(`${day}T00:00:00`, { dateStyle: 'long' });
      sayOnce(answer, t('attention.expected', { ...about, day: until }), () => list.mutate());
      onClose();
      await readAgain();
    },
  });
  const findFault = (value: string): string | null => {
    const at = new Date(`${value}T00:00:00`).getTime();
    const isWithin = at > Date.now() && at < Date.now() + MAX_DAYS * DAY_MS;
    return isWithin ? null : t('attention.untilFault');
  };
  return (
    <Dialog title={t('attention.expectOf', about)} isOpen onClose={onClose} isPending={expect.isPending}>
      <Form error={expect.error} onSubmit={() => expect.mutate()}>
        <p>{t('attention.expectText')}</p>
        <TextField
          label={t('attention.until')}
          name="until"
          type="date"
          isRequired
          value={day}
          onChange={setDay}
          validate={findFault}
        />
        <TextField
          label={t('attention.reason')}
          name="reason"
          maxLength={500}
          value={reason}
          onChange={setReason}
        />
        <DialogButtons action={t('attention.expectDo')} />
      </Form>
    </Dialog>
  );
}
