import { useText } from '../../../language.js';

/** Maximum number of names that are listed. */
const MAX_NAMES = 8;

/** The names of websites, the first ones of many. */
export function WebsiteNames({ websites }: { websites: readonly Readonly<{ id: string; name: string }>[] }) {
  const t = useText();
  if (websites.length === 0) return null;
  return (
    <ul>
      {websites.slice(0, MAX_NAMES).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {websites.length > MAX_NAMES && (
        <li>{t('form.moreWebsites', { count: websites.length - MAX_NAMES })}</li>
      )}
    </ul>
  );
}
