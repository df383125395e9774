import { DialogTrigger } from 'react-aria-components';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Popover } from '../parts/overlays/popover.js';
import { useViewer } from '../session.js';
import styles from './demo-mark.module.css';

/** Says that the installation is a demo, what that means and how to get one of one's own. */
export function DemoMark() {
  const t = useText();
  const { installation } = useViewer();
  if (!installation.demo) return null;
  return (
    <DialogTrigger>
      <Button variant="quiet">
        <span className={styles.mark}>{t('demo.mark')}</span>
      </Button>
      <Popover placement="bottom start">
        <div className={styles.text}>
          <h2>{t('demo.title')}</h2>
          <p>{t('demo.text')}</p>
          <p>{t('demo.leave')}</p>
        </div>
      </Popover>
    </DialogTrigger>
  );
}
