import { beforeAll, expect, test } from '@jest/globals';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import { comeBack, panelTest } from '../../support/panel-pages.js';

const { app, open } = panelTest();

beforeAll(async () => {
  const websites = [website('www.acme.test', { name: 'Acme' }), website('gone.acme.test', { name: 'Gone' })];
  await provision(app().services, [team('acme', { websites })]);
});

/** The paths of what a colleague deletes meanwhile, their headings, and the queries that read them. */
const THINGS = {
  async website() {
    const id = await websiteId(app().services, 'gone.acme.test');
    const remove = () => app().services.db.orm.website.delete({ where: { id } });
    return { path: `/websites/${id}`, heading: 'Gone', query: 'website', remove };
  },
  async lead() {
    const { services } = app();
    const [id = ''] = await recordedLeads(services, await websiteId(services, 'www.acme.test'), 1);
    const remove = () => services.db.orm.submission.delete({ where: { id } });
    return { path: `/inbox/${id}`, heading: 'Message', query: 'lead', remove };
  },
};

test.each(['website', 'lead'] as const)(
  'a page whose %s a colleague deletes says that it is not there',
  async (kind) => {
    const { path, heading, query, remove } = await THINGS[kind]();
    const { page } = await open(path, { as: 'owner@acme.test' });
    const title = page.getByRole('heading', { name: heading, exact: true });
    await title.waitFor();
    await remove();
    await comeBack(page, query);
    await page.getByText('This does not exist, or it is not yours to see.').first().waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).waitFor();
    expect(await title.count()).toBe(0);
  },
);
