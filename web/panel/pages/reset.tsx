import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { graphql, isLinkOver, send } from '../graphql.js';
import { useLanguage, useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Note } from '../parts/feedback/note.js';
import { HiddenUsername } from '../parts/fields/hidden-username.js';
import { NewPasswordField } from '../parts/fields/new-password-field.js';
import { TextField } from '../parts/fields/text-field.js';
import { Form } from '../parts/form/form.js';
import { Card } from '../parts/layout/card.js';
import { readViewerAnew } from '../session.js';
import { tellSession } from '../session-channel.js';

const REQUEST = graphql(`
  mutation requestPasswordReset($email: String!, $language: PanelLanguage) {
    requestPasswordReset(email: $email, language: $language)
  }
`);

const FOLLOWED = graphql(`
  query followedReset($token: String!) {
    followedReset(token: $token)
  }
`);

const RESET = graphql(`
  mutation resetPassword($token: String!, $password: String!) {
    resetPassword(token: $token, password: $password)
  }
`);

/** Asks for the link to a new password; with the token of such a link in the fragment, takes the password. */
export function ResetPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  return token ? <NewPassword token={token} /> : <RequestLink />;
}

function RequestLink({ children }: { children?: ReactNode }) {
  const t = useText();
  const typed = useLocation({ select: ({ state }) => state.email });
  const [email, setEmail] = useState(typed ?? '');
  const language = useLanguage();
  const asking = useMutation({ mutationFn: () => send(REQUEST, { email, language }) });
  return (
    <Card title={t('reset.title')}>
      {children}
      {/* Together, so that an empty region takes no gap. */}
      <div>
        <div role="status">{asking.isSuccess && <Note>{t('reset.sent', { email })}</Note>}</div>
        {!asking.isSuccess && (
          <Form onSubmit={asking.mutate} error={asking.error}>
            <p>{t('reset.text')}</p>
            <TextField
              name="email"
              label={t('login.email')}
              type="email"
              autoComplete="username"
              isRequired
              autoFocus
              value={email}
              onChange={setEmail}
            />
            <Button type="submit" variant="primary" isPending={asking.isPending}>
              {t('action.sendLink')}
            </Button>
          </Form>
        )}
      </div>
      <Link to="/login">{t('reset.back')}</Link>
    </Card>
  );
}

function NewPassword({ token }: { token: string }) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const account = useQuery({
    queryKey: ['reset', token],
    queryFn: async ({ signal }) => (await send(FOLLOWED, { token }, signal)).followedReset,
  });
  const reset = useMutation({
    mutationFn: () => send(RESET, { token, password }),
    onSuccess: async ({ resetPassword: isLoggedIn }) => {
      await readViewerAnew(client);
      tellSession();
      await navigate({ to: isLoggedIn ? '/' : '/login', replace: true });
    },
  });
  if (isLinkOver(account.error) || isLinkOver(reset.error)) {
    return (
      <RequestLink>
        <div role="alert">
          <Note>{t('reset.expired')}</Note>
        </div>
      </RequestLink>
    );
  }
  return (
    <Card title={t('reset.newTitle')}>
      <Loaded query={account}>
        {(email) => (
          <Form onSubmit={reset.mutate} error={reset.error}>
            <p>{t('reset.newText', { email })}</p>
            <HiddenUsername email={email} />
            <NewPasswordField name="password" value={password} onChange={setPassword} autoFocus />
            <Button type="submit" variant="primary" isPending={reset.isPending}>
              {t('reset.button')}
            </Button>
          </Form>
        )}
      </Loaded>
    </Card>
  );
}
