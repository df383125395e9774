import { ToggleButton } from 'react-aria-components';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import buttons from '../../../parts/buttons/button.module.css';
import { classes } from '../../../parts/classes.js';
import type { Changes } from '../changes/changes.js';
import type { LeadState } from '../search.js';
import type { Lead } from './lead-queries.js';
import styles from './lead-view.module.css';
import { replyAddress } from './reply.js';

/** States that a lead is given by a button; pressed again, it is new once more. */
const STATES = [
  ['done', 'e'],
  ['in_progress', 'i'],
  ['spam', '!'],
  ['archived', 'a'],
] as const satisfies readonly (readonly [LeadState, string])[];

type Props = {
  lead: Lead;
  mayManage: boolean;
  /** Whether leads are selected, whose buttons are then the ones that change leads. */
  isSelecting: boolean;
  changes: Changes;
  onState(state: LeadState): void;
  onForward(): void;
  onDelete(): void;
};

/** What can be done with a lead by who may. */
export function LeadActions(props: Props) {
  const { lead, mayManage, isSelecting, changes, onState, onForward, onDelete } = props;
  const t = useText();
  const reply = replyAddress(lead, t);
  const chosen = { leads: [{ id: lead.id, state: lead.state }] };
  const mayChange = mayManage && !isSelecting;
  if (!mayManage && !reply) return null;
  return (
    <div className={styles.actions}>
      {mayChange &&
        STATES.map(([state, key]) => (
          <ToggleButton
            key={state}
            className={classes(buttons.button, buttons.plain, styles.state)}
            aria-keyshortcuts={key}
            isSelected={lead.state === state}
            onChange={(isSelected) => onState(isSelected ? state : 'new')}
          >
            {t(`action.${state}`)}
          </ToggleButton>
        ))}
      {reply && (
        <a className={classes(buttons.button, buttons.quiet)} href={reply}>
          {t('action.reply')}
        </a>
      )}
      {mayManage && (
        <Button variant="quiet" onPress={onForward}>
          {t('action.forward')}
        </Button>
      )}
      {mayChange && (
        <Button variant="quiet" onPress={() => changes.sendAgain(chosen, true)}>
          {t('action.sendAgain')}
        </Button>
      )}
      {mayChange && (
        <Button variant="quiet" onPress={onDelete}>
          {t('inbox.delete.button')}
        </Button>
      )}
    </div>
  );
}
