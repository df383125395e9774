import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { FromPreview, SubmissionAnswer, ToPreview } from '../../script/preview-messages.js';
import { PANEL } from '../address.js';
import styles from './form-preview.module.css';

type Props = {
  label: string;
  /** A form as `forms/config` answers it. */
  definition: object;
  isDark: boolean;
  isNarrow: boolean;
  /** Answers a submission of the form. */
  onSubmit(body: SubmissionAnswer['body']): Promise<SubmissionAnswer>;
  /** Tells of a link that was followed. */
  onLink(url: string): void;
};

/** Origin of a document in a sandbox, as messages have it. */
const OPAQUE = 'null';

/**
 * Shows a form in a frame, with the script of the visitors' pages. The frame is the gateway's own and reaches nothing.
 */
export function PreviewFrame({ label, definition, isDark, isNarrow, onSubmit, onLink }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** How often the document in the frame has been loaded. */
  const [loads, setLoads] = useState(0);

  function tell(message: ToPreview): void {
    // An opaque origin has no name to send to; the panel's policy keeps other documents out of its frames.
    frame.current?.contentWindow?.postMessage(message, '*');
  }

  const receive = useEffectEvent(async ({ source, origin, data }: MessageEvent<FromPreview>) => {
    if (source !== frame.current?.contentWindow || origin !== OPAQUE) return;
    if (data.kind === 'ready') setLoads((count) => count + 1);
    if (data.kind === 'link') onLink(data.url);
    if (data.kind === 'submit') tell({ kind: 'answer', id: data.id, ...(await onSubmit(data.body)) });
  });
  useEffect(() => {
    const listener = (event: MessageEvent<FromPreview>) => void receive(event);
    addEventListener('message', listener);
    return () => removeEventListener('message', listener);
  }, []);

  const show = useEffectEvent(tell);
  useEffect(() => {
    if (loads > 0) show({ kind: 'show', definition, isDark });
  }, [loads, definition, isDark]);

  return (
    <div className={styles.stage}>
      <iframe
        ref={frame}
        title={label}
        src={`${PANEL}form-preview`}
        sandbox="allow-scripts allow-forms"
        className={styles.frame}
        data-narrow={isNarrow || undefined}
      />
    </div>
  );
}
