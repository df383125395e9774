import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { Accounts } from '../../accounts/accounts.service.js';
import { panelActor } from '../../auth/panel-actor.js';
import type { Config } from '../../config.js';
import { conflict, formNotFound, notFound } from '../../errors.js';
import { type Connection, PageArgs, readPage, toConnection } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { pageCost } from '../../graphql/cost.js';
import { limitOf } from '../../graphql/limit.js';
import { FormType } from '../editing/form.type.js';
import { presentContent } from '../editing/form-presenter.js';
import { requireForm } from '../editing/form-right.js';
import type { ManagedForms } from '../editing/managed-forms.service.js';
import { readFormInput } from '../editing/read-form-input.js';
import type { FormChange } from './form-changes.js';
import {
  FormChangeType,
  FormDefinitionType,
  FormVersionConnection,
  FormVersionType,
} from './form-version.type.js';
import type { FormVersions } from './form-versions.service.js';

type Services = Readonly<{
  formVersions: FormVersions;
  managedForms: Pick<ManagedForms, 'find' | 'save'>;
  accounts: Pick<Accounts, 'byIds'>;
  config: Pick<Config, 'locales'>;
}>;

const VERSION = { description: 'The version.' };

const SINCE = {
  nullable: true,
  description: 'The version to compare with, any that is kept; null: the one kept before it.',
};

const CHANGES = limitOf({ usual: 100, most: 1_000, name: 'first' });

const versionNotFound = () => notFound('Version not found.');

@Resolver(() => FormType)
export class FormHistoryResolver {
  constructor(private readonly services: Pick<Services, 'formVersions'>) {}

  @FieldResolver(() => FormVersionConnection, {
    description:
      'Its versions, the latest first. The latest 500 are kept, of those saved since versions are.',
    complexity: pageCost,
  })
  async versions(
    @Root() { id }: FormType,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { load }: ViewerContext,
  ): Promise<Connection<FormVersionType>> {
    const page = readPage(args, ['int']);
    const rows = await load(this.services.formVersions.pages, { formId: id, page });
    return toConnection(
      rows,
      page,
      ({ version }) => [version],
      (row) => row,
    );
  }
}

@Resolver(() => FormVersionType)
export class FormVersionsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => FormVersionType, { description: 'A version of a form. NOT_FOUND when it is not kept.' })
  async formVersion(
    @Arg('formId', () => ID, { description: 'The form.' }) formId: string,
    @Arg('version', () => Int, VERSION) version: number,
    @Ctx() context: ViewerContext,
  ): Promise<FormVersionType> {
    const { id } = await requireForm(this.services.managedForms, context.viewer, formId, 'read');
    const found = await this.services.formVersions.find(id, version);
    if (!found) throw versionNotFound();
    return found;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of who saved it; null when no person did, the account is gone, or it is not known.',
  })
  async savedByName(
    @Root() { savedById }: FormVersionType,
    @Ctx() { load }: ViewerContext,
  ): Promise<string | null> {
    return savedById === null ? null : (await load(this.services.accounts.byIds, savedById))?.name || null;
  }

  @FieldResolver(() => Int, {
    description: 'How many differences there are; 0 when there is no version to compare with.',
  })
  async changeCount(
    @Root() version: FormVersionType,
    @Arg('since', () => Int, SINCE) since: number | null,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    return (await this.changesOf(version, since, context)).length;
  }

  @FieldResolver(() => [FormChangeType], {
    description:
      'What differs: settings and languages of the form, then field by field. `changeCount` tells how many there are.',
    complexity: CHANGES.cost,
  })
  async changes(
    @Root() version: FormVersionType,
    @Arg('since', () => Int, SINCE) since: number | null,
    @Arg('first', () => Int, CHANGES.options) first: number,
    @Ctx() context: ViewerContext,
  ): Promise<readonly FormChangeType[]> {
    return (await this.changesOf(version, since, context)).slice(0, CHANGES.read(first));
  }

  @FieldResolver(() => FormDefinitionType, { description: 'All that the form was in it.' })
  async definition(@Root() { formId, version }: FormVersionType): Promise<FormDefinitionType> {
    const content = await this.services.formVersions.contentOf({ formId, version });
    if (!content) throw versionNotFound();
    return presentContent(content);
  }

  @Authorized()
  @Mutation(() => FormType, {
    description:
      'Makes a new version of a form that equals an earlier one; none when the form is so already. CONFLICT when it is no longer the version that was seen; BAD_USER_INPUT, with paths that begin with `definition`, when what was valid then no longer is.',
  })
  async restoreFormVersion(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Arg('version', () => Int, { description: 'The version that it is to be again.' }) version: number,
    @Arg('currentVersion', () => Int, { description: 'The version that was seen.' }) currentVersion: number,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const { formVersions, managedForms, config } = this.services;
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const kept = await formVersions.contentOf({ formId: form.id, version });
    if (!kept) throw versionNotFound();
    const { content } = await readFormInput(form.slug, presentContent(kept), config.locales, 'definition');
    const saved = await managedForms.save(form, currentVersion, content, panelActor(context), version);
    if (saved === 'not_found') throw formNotFound();
    if (saved === 'moved_on') throw conflict('The form has been changed meanwhile.');
    return saved.form;
  }

  private async changesOf(
    { formId, version, previousVersion }: FormVersionType,
    since: number | null,
    { load }: ViewerContext,
  ): Promise<readonly FormChange[]> {
    const from = since ?? previousVersion;
    if (from === null) return [];
    const changes = await load(this.services.formVersions.compare, `${formId} ${from} ${version}`);
    if (!changes) throw versionNotFound();
    return changes;
  }
}
