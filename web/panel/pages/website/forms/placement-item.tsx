import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { Badge } from '../../../parts/layout/badge.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say, sayOnce } from '../../../parts/overlays/toasts.js';
import { NO_PLACEMENT, type Placement, SAVE } from '../../../placements.js';
import { draftOf, inputOf } from './draft.js';
import styles from './placement-item.module.css';
import { placementChanged, REMOVE } from './queries.js';

type Props = {
  websiteId: string;
  placement: Placement;
  mayManage: boolean;
  /** Whether its editing has just ended. */
  wasEdited: boolean;
  onEdit(): void;
};

/** A form on a website, with what can be done with it there. */
export function PlacementItem({ websiteId, placement, mayManage, wasEdited, onEdit }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const { form, enabled, cssSelector, recipients, recipientRules } = placement;
  const refresh = () => placementChanged(client, websiteId, form.id);
  const putBack = () =>
    request(SAVE, {
      websiteId,
      formId: form.id,
      input: inputOf(draftOf(placement)),
      version: NO_PLACEMENT,
    })
      .catch((error) => say(describeError(error, t).text))
      .then(refresh);
  const remove = useMutation({
    mutationFn: () => request(REMOVE, { websiteId, formId: form.id }),
    onSuccess: async (answer) => {
      setOpen(false);
      await refresh();
      sayOnce(answer, t('placement.isRemoved', { form: form.name }), () => void putBack());
    },
  });
  return (
    <div className={styles.item}>
      <div className={styles.words}>
        <h2 className={styles.name} dir="auto">
          <Link to="/forms/$formId" params={{ formId: form.id }}>
            {form.name}
          </Link>
        </h2>
        <Badge tone={enabled && form.active ? 'good' : 'warning'}>
          {t(!form.active ? 'placement.formInactive' : enabled ? 'placement.shown' : 'placement.hidden')}
        </Badge>
        <p className={styles.fact}>
          {cssSelector
            ? t('placement.at', { selector: cssSelector })
            : t('placement.atElement', { slug: form.slug })}
        </p>
        {recipients.length > 0 && (
          <p className={styles.fact}>{t('placement.to', { recipients: recipients.join(', ') })}</p>
        )}
        {recipientRules.length > 0 && (
          <p className={styles.fact}>{t('rules.own', { count: recipientRules.length })}</p>
        )}
      </div>
      {mayManage && (
        <div className={styles.actions}>
          <Button
            onPress={onEdit}
            autoFocus={wasEdited}
            aria-label={t('placement.editOne', { form: form.name })}
          >
            {t('placement.edit')}
          </Button>
          <Button
            variant="quiet"
            onPress={() => setOpen(true)}
            aria-label={t('placement.removeOne', { form: form.name })}
          >
            {t('placement.remove')}
          </Button>
        </div>
      )}
      <Dialog
        title={t('placement.removeTitle', { form: form.name })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isPending={remove.isPending}
      >
        <p>{t('placement.removeText')}</p>
        {remove.error && <ErrorBox error={remove.error} />}
        <DialogButtons action={t('placement.remove')} variant="danger" onPress={() => remove.mutate()} />
      </Dialog>
    </div>
  );
}
