import { useMutation, useQueryClient } from '@tanstack/react-query';
import { use, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { TextArea } from '../../../parts/fields/text-area.js';
import { Form } from '../../../parts/form/form.js';
import { keepNoteDraft, noteDraft } from '../../../parts/note-drafts.js';
import { say, sayOnce } from '../../../parts/overlays/toasts.js';
import { Moment } from '../../../parts/time/moment.js';
import { useViewer } from '../../../session.js';
import { Part } from '../part.js';
import { LeadContext } from './lead-context.js';
import styles from './lead-notes.module.css';
import { type Lead, leadQuery } from './lead-queries.js';
import view from './lead-view.module.css';

const ADD = graphql(`
  mutation addSubmissionNote($submissionId: ID!, $text: String!) {
    addSubmissionNote(submissionId: $submissionId, text: $text) {
      id
    }
  }
`);

const DELETE = graphql(`
  mutation deleteSubmissionNote($id: ID!) {
    deleteSubmissionNote(id: $id)
  }
`);

type Note = Lead['notes'][number];

/** What the gateway takes. */
const MAX_LENGTH = 5_000;

/** What colleagues have written about a lead. Each deletes their own. */
export function LeadNotes({ lead, mayManage }: { lead: Lead; mayManage: boolean }) {
  const t = useText();
  const { formatDate } = useIntl();
  const client = useQueryClient();
  const { userId } = useViewer();
  const { focusHeading } = use(LeadContext)!;
  const { timeZone } = lead.website;
  const draft = `${userId} ${lead.id}`;
  const [text, setText] = useState(() => noteDraft(draft));
  const keep = (typed: string) => {
    keepNoteDraft(draft, typed);
    setText(typed);
  };
  const form = useRef<HTMLDivElement>(null);
  const readAgain = () => client.invalidateQueries({ queryKey: leadQuery(lead.id).queryKey });
  const add = useMutation({
    mutationFn: (wanted: string) => request(ADD, { submissionId: lead.id, text: wanted.trim() }),
    onSuccess: (_answer, sent) => {
      // What was typed since is another note.
      if (noteDraft(draft) === sent) {
        // The button that has the focus goes with the text.
        if (form.current?.contains(document.activeElement)) form.current.querySelector('textarea')?.focus();
        keep('');
      }
      return readAgain();
    },
  });
  const complain = (error: Error) => say(describeError(error, t).text);
  const writeAgain = useMutation({
    mutationFn: (deleted: string) => request(ADD, { submissionId: lead.id, text: deleted }),
    onSuccess: readAgain,
    onError: complain,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Note) => request(DELETE, { id }),
    onSuccess: (answer, deleted) => {
      sayOnce(answer, t('notes.deleted'), () => writeAgain.mutate(deleted.text));
      return readAgain();
    },
    onError: complain,
  });
  return (
    <Part title={t('notes.title')}>
      {lead.notes.length === 0 && <p className={view.none}>{t('notes.none')}</p>}
      <ul className={styles.notes} aria-live="polite" aria-relevant="additions">
        {lead.notes.map((note) => (
          <li key={note.id}>
            <p className={styles.by}>
              <span>{note.authorName ?? t('history.deletedAccount')}</span>
              <Moment at={note.createdAt} timeZone={timeZone} />
              {mayManage && note.authorId === userId && (
                <Button
                  variant="quiet"
                  aria-label={t('notes.deleteOf', {
                    moment: formatDate(note.createdAt, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
                  })}
                  isDisabled={remove.isPending && remove.variables?.id === note.id}
                  onPress={({ pointerType }) => {
                    // The button that has the focus goes with the note.
                    if (pointerType === 'keyboard' || pointerType === 'virtual') focusHeading();
                    remove.mutate(note);
                  }}
                >
                  {t('notes.delete')}
                </Button>
              )}
            </p>
            <p className={styles.text} dir="auto">
              {note.text}
            </p>
          </li>
        ))}
      </ul>
      {mayManage && (
        <div className={styles.form} ref={form}>
          <Form error={add.error} onSubmit={() => text.trim() && add.mutate(text)}>
            <TextArea label={t('notes.new')} value={text} onChange={keep} maxLength={MAX_LENGTH} />
            {text.trim() && (
              <div>
                <Button type="submit" isPending={add.isPending}>
                  {t('notes.add')}
                </Button>
              </div>
            )}
          </Form>
        </div>
      )}
    </Part>
  );
}
