import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { warningOf } from '../../../../src/tokens/token-warning.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Badge } from '../../parts/layout/badge.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { Moment } from '../../parts/time/moment.js';
import { useMayManage, useViewer } from '../../session.js';
import type { Team } from './queries.js';
import { CreateTokenDialog } from './tokens/create-dialog.js';
import { REVOKE_TOKEN, REVOKE_TOKENS, type Token, tokensQuery } from './tokens/queries.js';

/** What a revocation is about: one token, or all that there are. */
type Revoking = Readonly<{ tokens: readonly Token[]; isAll: boolean }>;

/** The integration tokens of the team, of all bearers. */
export function TokensTab({ team }: { team: Team }) {
  const t = useText();
  const { teams } = useViewer();
  const tokens = useQuery(tokensQuery(team.id));
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Revoking | null>(null);
  const mayManage = useMayManage(team.id);
  const isMember = teams.some(({ team: { id } }) => id === team.id);
  const rows = tokens.data ?? [];
  return (
    <Section
      title={t('tokens.title')}
      actions={
        <>
          {mayManage && rows.length > 1 && (
            <Button onPress={() => setRevoking({ tokens: rows, isAll: true })}>
              {t('tokens.revokeAll')}
            </Button>
          )}
          {mayManage && isMember && team.active && (
            <Button onPress={() => setCreating(true)}>{t('tokens.create')}</Button>
          )}
        </>
      }
    >
      {!team.active && <p>{t('tokens.suspended')}</p>}
      {!isMember && <p>{t('tokens.membersOnly')}</p>}
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('tokens.none')}>
              <p>{t('tokens.what')}</p>
            </EmptyState>
          ) : (
            <TokenTable
              tokens={all}
              onRevoke={mayManage ? (token) => setRevoking({ tokens: [token], isAll: false }) : undefined}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateTokenDialog teamId={team.id} onClose={() => setCreating(false)} />}
      {revoking && <RevokeDialog teamId={team.id} {...revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

type TableProps = {
  tokens: readonly Token[];
  /** Left out for a viewer who may not. */
  onRevoke: ((token: Token) => void) | undefined;
};

function TokenTable({ tokens, onRevoke }: TableProps) {
  const t = useText();
  const { formatList } = useIntl();
  const now = new Date();
  const headings = ['tokens.name', 'tokens.opens', 'tokens.bearer', 'tokens.used', 'tokens.ends'] as const;
  return (
    <Table label={t('tokens.title')} headings={[...headings.map((id) => t(id)), ...(onRevoke ? [''] : [])]}>
      {tokens.map((token) => {
        const warning = warningOf(token, now);
        const abilities = token.abilities.map((ability) => t(`tokens.short.${ability}`));
        return (
          <tr key={token.id}>
            <td>
              {token.name}{' '}
              {warning && (
                <Badge tone={warning === 'expired' ? 'neutral' : 'warning'}>
                  {t(`tokens.warning.${warning}`)}
                </Badge>
              )}
            </td>
            <td>
              {abilities.length > 0 ? formatList(abilities, { type: 'unit' }) : t('tokens.opensNothing')}
            </td>
            <td>{token.bearer.name}</td>
            <td>{token.lastUsedAt ? <Moment at={token.lastUsedAt} /> : t('tokens.neverUsed')}</td>
            <td>{token.expiresAt ? <Moment at={token.expiresAt} /> : t('tokens.never')}</td>
            {onRevoke && (
              <td>
                <Button
                  onPress={() => onRevoke(token)}
                  aria-label={t('tokens.revokeOne', { name: token.name })}
                >
                  {t('tokens.revoke')}
                </Button>
              </td>
            )}
          </tr>
        );
      })}
    </Table>
  );
}

type RevokeProps = Revoking & { teamId: string; onClose(): void };

/** Revokes tokens once it is said what stops working. */
function RevokeDialog({ teamId, tokens, isAll, onClose }: RevokeProps) {
  const t = useText();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: async (): Promise<void> => {
      if (isAll) await request(REVOKE_TOKENS, { teamId });
      else await request(REVOKE_TOKEN, { id: tokens[0]!.id });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokensQuery(teamId).queryKey });
      say(t('tokens.revoked', { count: tokens.length }));
      onClose();
    },
    // Another may have revoked it.
    onError: () => void client.invalidateQueries({ queryKey: tokensQuery(teamId).queryKey }),
  });
  const action = t(isAll ? 'tokens.revokeAll' : 'tokens.revoke');
  return (
    <Dialog
      title={isAll ? action : t('tokens.revokeOne', { name: tokens[0]!.name })}
      isOpen
      onClose={onClose}
      isPending={revoke.isPending}
    >
      <p>{t('tokens.revokeText', { count: tokens.length })}</p>
      {revoke.error && <ErrorBox error={revoke.error} />}
      <DialogButtons action={action} variant="danger" onPress={() => revoke.mutate()} />
    </Dialog>
  );
}
