import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, type ResultOf, request, type VariablesOf } from '../graphql.js';
import { useText } from '../language.js';
import { browserOf } from '../parts/browser-name.js';
import { Button } from '../parts/button.js';
import { Dialog, DialogActions } from '../parts/dialog.js';
import { ErrorBox } from '../parts/error-box.js';
import { Form, FormActions } from '../parts/form.js';
import { HiddenUsername } from '../parts/hidden-username.js';
import { Loaded } from '../parts/loaded.js';
import { Moment } from '../parts/moment.js';
import { NewPasswordField } from '../parts/new-password-field.js';
import { Page, Section } from '../parts/page.js';
import { Select } from '../parts/select.js';
import { Table } from '../parts/table.js';
import { PasswordField, TextField } from '../parts/text-field.js';
import { say } from '../parts/toasts.js';
import { useViewer, type Viewer, viewerQuery } from '../session.js';
import { SecondFactor } from './account/second-factor.js';
import styles from './account.module.css';

const UPDATE = graphql(`
  mutation updateViewer($input: UpdateViewerInput!) {
    updateViewer(input: $input) {
      userId
    }
  }
`);

const REQUEST_EMAIL = graphql(`
  mutation requestEmailChange($email: String!, $password: String!) {
    requestEmailChange(email: $email, password: $password)
  }
`);

const CHANGE_PASSWORD = graphql(`
  mutation changePassword($current: String!, $new: String!) {
    changePassword(current: $current, new: $new)
  }
`);

const INVITATIONS = graphql(`
  query receivedInvitations {
    me {
      invitations {
        id
        role
        invitedBy
        team {
          name
        }
      }
    }
  }
`);

const ACCEPT = graphql(`
  mutation acceptInvitation($id: ID!) {
    acceptInvitation(id: $id)
  }
`);

const DECLINE = graphql(`
  mutation declineInvitation($id: ID!) {
    declineInvitation(id: $id)
  }
`);

const SESSIONS = graphql(`
  query sessions {
    sessions {
      id
      ip
      userAgent
      createdAt
      lastSeenAt
      current
    }
  }
`);

const REVOKE = graphql(`
  mutation revokeSession($id: ID!) {
    revokeSession(id: $id)
  }
`);

const REVOKE_OTHERS = graphql(`
  mutation revokeOtherSessions {
    revokeOtherSessions
  }
`);

const SESSIONS_KEY = ['sessions'];
const INVITATIONS_KEY = ['invitations'];

/** The viewer's own account. */
export function AccountPage() {
  const t = useText();
  return (
    <Page title={t('account.title')}>
      <div className={styles.sections}>
        <Invitations />
        <Profile />
        <Email />
        <Password />
        <SecondFactor />
        <Display />
        <Sessions />
      </div>
    </Page>
  );
}

/** Changes the viewer, which shows at once, and is taken back when the gateway refuses it. */
function useViewerUpdate() {
  const t = useText();
  const client = useQueryClient();
  const { queryKey } = viewerQuery;
  return useMutation({
    mutationFn: (input: VariablesOf<typeof UPDATE>['input']) => request(UPDATE, { input }),
    onMutate: (input) => {
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (viewer) => viewer && ({ ...viewer, ...input } as Viewer));
      return { before };
    },
    onSuccess: () => say(t('action.saved')),
    onError: (_error, _input, change) => client.setQueryData(queryKey, change?.before),
  });
}

type Invitation = NonNullable<ResultOf<typeof INVITATIONS>['me']>['invitations'][number];

/** Teams that invite the viewer; nothing while none does. */
function Invitations() {
  const t = useText();
  const { data: invitations = [] } = useQuery({
    queryKey: INVITATIONS_KEY,
    queryFn: async ({ signal }) => (await request(INVITATIONS, {}, signal)).me?.invitations ?? [],
  });
  if (invitations.length === 0) return null;
  return (
    <Section title={t('account.invitations')}>
      <ul>
        {invitations.map((invitation) => (
          <InvitationItem key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

function InvitationItem({ invitation: { id, invitedBy, role, team } }: { invitation: Invitation }) {
  const t = useText();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: INVITATIONS_KEY });
  const accept = useMutation({
    mutationFn: () => request(ACCEPT, { id }),
    onSuccess: () => {
      say(t('account.invitationAccepted', { team: team.name }));
      return client.invalidateQueries(viewerQuery);
    },
    onSettled,
  });
  const decline = useMutation({ mutationFn: () => request(DECLINE, { id }), onSettled });
  const error = accept.error ?? decline.error;
  return (
    <li className={styles.invitation}>
      <p>
        {t(invitedBy ? 'invitation.textBy' : 'invitation.text', { by: invitedBy, team: team.name, role })}
      </p>
      <Button onPress={() => accept.mutate()} isPending={accept.isPending}>
        {t('account.acceptInvitation')}
      </Button>
      <Button variant="quiet" onPress={() => decline.mutate()} isPending={decline.isPending}>
        {t('account.declineInvitation')}
      </Button>
      {error && <ErrorBox error={error} />}
    </li>
  );
}

function Profile() {
  const t = useText();
  const viewer = useViewer();
  const [name, setName] = useState(viewer.name);
  const update = useViewerUpdate();
  return (
    <Section title={t('account.profile')}>
      <Form onSubmit={() => update.mutate({ name })} error={update.error}>
        <TextField
          name="name"
          label={t('account.name')}
          autoComplete="name"
          isRequired
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <FormActions>
          <Button type="submit" isPending={update.isPending}>
            {t('action.save')}
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}

function Email() {
  const t = useText();
  const viewer = useViewer();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t('login.email')}>
      <div className={styles.line}>
        <span>{viewer.email}</span>
        <Button onPress={() => setOpen(true)}>{t('account.changeEmail')}</Button>
      </div>
      <Dialog title={t('account.changeEmail')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <EmailForm onClose={() => setOpen(false)} />
      </Dialog>
    </Section>
  );
}

function EmailForm({ onClose }: { onClose(): void }) {
  const t = useText();
  const viewer = useViewer();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => request(REQUEST_EMAIL, { email, password }),
    onSuccess: () => {
      say(t('account.emailSent', { email }));
      onClose();
    },
  });
  return (
    <Form
      onSubmit={change.mutate}
      error={change.error}
      fieldErrors={({ fields }) => ({
        email: fields.email && t('field.email'),
        password: fields.password && t('account.passwordWrong'),
      })}
    >
      <p>{t('account.emailText')}</p>
      <TextField
        name="email"
        label={t('account.newEmail')}
        type="email"
        autoComplete="off"
        isRequired
        autoFocus
        value={email}
        onChange={setEmail}
      />
      <HiddenUsername email={viewer.email} />
      <PasswordField
        name="password"
        label={t('account.currentPassword')}
        value={password}
        onChange={setPassword}
      />
      <DialogActions>
        <Button onPress={onClose}>{t('action.cancel')}</Button>
        <Button type="submit" variant="primary" isPending={change.isPending}>
          {t('reset.send')}
        </Button>
      </DialogActions>
    </Form>
  );
}

function Password() {
  const t = useText();
  const client = useQueryClient();
  const { email } = useViewer();
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const change = useMutation({
    mutationFn: () => request(CHANGE_PASSWORD, { current, new: wanted }),
    onSuccess: () => {
      setCurrent('');
      setWanted('');
      say(t('account.passwordChanged'));
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return (
    <Section title={t('account.password')}>
      <Form
        onSubmit={change.mutate}
        error={change.error}
        fieldErrors={({ fields }) => ({ current: fields.current && t('account.passwordWrong') })}
      >
        <p>{t('account.passwordText')}</p>
        <HiddenUsername email={email} />
        <PasswordField
          name="current"
          label={t('account.currentPassword')}
          value={current}
          onChange={setCurrent}
        />
        <NewPasswordField name="new" value={wanted} onChange={setWanted} />
        <FormActions>
          <Button type="submit" isPending={change.isPending}>
            {t('account.changePassword')}
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}

function Display() {
  const t = useText();
  const { language, theme } = useViewer();
  const update = useViewerUpdate();
  return (
    <Section title={t('account.display')}>
      <div className={styles.choices}>
        <Select
          label={t('account.language')}
          value={language ?? 'browser'}
          onChange={(value) => update.mutate({ language: value === 'browser' ? null : value })}
          options={[
            { value: 'browser', text: t('account.language.browser') },
            { value: 'en', text: 'English' },
            { value: 'fr', text: 'Français' },
          ]}
        />
        <Select
          label={t('account.theme')}
          value={theme ?? 'system'}
          onChange={(value) => update.mutate({ theme: value === 'system' ? null : value })}
          options={[
            { value: 'system', text: t('account.theme.system') },
            { value: 'light', text: t('account.theme.light') },
            { value: 'dark', text: t('account.theme.dark') },
          ]}
        />
        {update.error && <ErrorBox error={update.error} />}
      </div>
    </Section>
  );
}

type Session = ResultOf<typeof SESSIONS>['sessions'][number];

function Sessions() {
  const t = useText();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const sessions = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: async ({ signal }) => (await request(SESSIONS, {}, signal)).sessions,
  });
  const endOthers = useMutation({
    mutationFn: () => request(REVOKE_OTHERS),
    onSuccess: ({ revokeOtherSessions: count }) => {
      setAsking(false);
      say(t('account.sessionsEnded', { count }));
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  const hasOthers = sessions.data?.some(({ current }) => !current);
  return (
    <Section
      title={t('account.sessions')}
      actions={hasOthers && <Button onPress={() => setAsking(true)}>{t('account.endOthers')}</Button>}
    >
      <Loaded query={sessions}>
        {(list) => (
          <Table
            label={t('account.sessions')}
            headings={[
              t('account.session'),
              t('account.session.from'),
              t('account.session.opened'),
              t('account.session.lastSeen'),
              '',
            ]}
          >
            {list.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </Loaded>
      <Dialog title={t('account.endOthers')} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{t('account.endOthersText')}</p>
        {endOthers.error && <ErrorBox error={endOthers.error} />}
        <DialogActions>
          <Button onPress={() => setAsking(false)}>{t('action.cancel')}</Button>
          <Button variant="danger" onPress={() => endOthers.mutate()} isPending={endOthers.isPending}>
            {t('account.endOthers')}
          </Button>
        </DialogActions>
      </Dialog>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const t = useText();
  const client = useQueryClient();
  const { id, ip, userAgent, createdAt, lastSeenAt, current } = session;
  const browser = browserOf(userAgent) ?? t('account.session.unknown');
  const end = useMutation({
    mutationFn: () => request(REVOKE, { id }),
    onMutate: () => {
      const before = client.getQueryData<Session[]>(SESSIONS_KEY);
      client.setQueryData<Session[]>(SESSIONS_KEY, (list) => list?.filter((one) => one.id !== id));
      return { before };
    },
    onSuccess: () => say(t('account.sessionEnded')),
    onError: (error, _variables, change) => {
      client.setQueryData(SESSIONS_KEY, change?.before);
      say(error.message);
    },
  });
  return (
    <tr>
      <td title={userAgent ?? undefined}>
        {browser} {current && <span className={styles.current}>({t('account.session.current')})</span>}
      </td>
      <td>{ip}</td>
      <td>
        <Moment at={createdAt} />
      </td>
      <td>
        <Moment at={lastSeenAt} />
      </td>
      <td>
        {!current && (
          <Button
            variant="quiet"
            aria-label={t('account.endSessionOf', { browser })}
            onPress={() => end.mutate()}
          >
            {t('account.endSession')}
          </Button>
        )}
      </td>
    </tr>
  );
}
