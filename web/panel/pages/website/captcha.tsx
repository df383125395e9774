import { useQuery } from '@tanstack/react-query';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Section } from '../../parts/layout/page.js';
import { useMayManage } from '../../session.js';
import { ChainEditor } from './captcha/chain/chain-editor.js';
import { ChainFigures } from './captcha/chain-figures.js';
import { Incidents } from './captcha/incidents.js';
import { chainQuery } from './captcha/queries.js';
import type { Website } from './queries.js';

/** The tab *Captcha*: the chain, what it means to a visitor, what it has done, and what went wrong. */
export function CaptchaTab({ website: { id, teamId, timeZone } }: { website: Website }) {
  const t = useText();
  const chain = useQuery(chainQuery(id));
  const mayManage = useMayManage(teamId);
  return (
    <Loaded query={chain}>
      {(stored) => {
        const keys = stored.steps.map(({ key }) => key);
        return (
          <>
            <ChainEditor websiteId={id} stored={stored} mayManage={mayManage} />
            <Section title={t('chain.figures')}>
              <ChainFigures websiteId={id} keys={keys} />
            </Section>
            <Section title={t('incident.title')}>
              <Incidents websiteId={id} keys={keys} timeZone={timeZone} />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}
