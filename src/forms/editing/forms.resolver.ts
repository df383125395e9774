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
import { panelActor } from '../../auth/panel-actor.js';
import { requireRight, teamsInView } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import { conflict, formNotFound, invalid, notFound } from '../../errors.js';
import { type Connection, PageArgs, readPage, toConnectionById } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { pageCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { label, slug as slugValue } from '../../lib/input.schema.js';
import { loadTeam } from '../../teams/load-team.js';
import { TeamType } from '../../teams/team.type.js';
import type { Teams } from '../../teams/teams.service.js';
import type { FormContent } from '../definition/form.mapper.js';
import { FormConnection, FormType } from './form.type.js';
import { FormInput } from './form-input.type.js';
import { requireForm } from './form-right.js';
import { type CreatedForm, MAX_FORMS, type ManagedForms } from './managed-forms.service.js';
import { readFormInput } from './read-form-input.js';

type Services = Readonly<{ managedForms: ManagedForms; teams: Teams; config: Pick<Config, 'locales'> }>;

@Resolver(() => FormType)
export class FormsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => FormConnection, {
    description: 'Forms of all the teams that the viewer sees, or of one, sorted by name.',
    complexity: pageCost,
  })
  async forms(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('teamId', () => ID, { nullable: true, description: 'Only those of this team.' })
    teamId: string | null,
    @Arg('search', () => String, {
      nullable: true,
      description:
        "Part of the name or of the slug; where several teams are in view, also of the team's name.",
    })
    search: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<FormType>> {
    const page = readPage(args, ['string', 'int']);
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    const filter = { teamIds, search: search ?? null };
    const { positions, byId } = await this.services.managedForms.list(filter, page);
    return toConnectionById(
      positions,
      page,
      ({ name, id }) => [name, id],
      byId,
      (form) => form,
    );
  }

  @Authorized()
  @Query(() => FormType, { description: 'One form.' })
  form(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    return requireForm(this.services.managedForms, context.viewer, id, 'read');
  }

  @FieldResolver(() => TeamType, { description: 'The team that it belongs to.' })
  team(@Root() { teamId }: FormType, @Ctx() context: ViewerContext): Promise<TeamType> {
    return loadTeam(this.services, context, teamId);
  }

  @Authorized()
  @Mutation(() => FormType, {
    description: 'Creates a form with its fields and translations. CONFLICT beyond 1,000 forms of the team.',
  })
  async createForm(
    @Arg('teamId', () => ID, { description: 'The team that it is to belong to.' }) teamId: string,
    @Arg('slug', () => String, { description: 'As pages name it; unique in the team and for good.' })
    slug: string,
    @Arg('input', () => FormInput, { description: 'The form.' }) input: FormInput,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const team = requireRight(context.viewer, { teamId: intId(teamId, 'Team') }, 'manage', 'Team');
    const content = await this.read(readInput(slugValue, slug, 'slug'), input);
    const actor = panelActor(context);
    return created(await this.services.managedForms.create(team.teamId, content, actor), 'Team');
  }

  @Authorized()
  @Mutation(() => FormType, {
    description:
      'Saves a whole form. Fields are matched by name and options by value. CONFLICT when it is no longer the version that was edited.',
  })
  async saveForm(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Arg('version', () => Int, { description: 'The version that was edited.' }) version: number,
    @Arg('input', () => FormInput, { description: 'The form as it is to be.' }) input: FormInput,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const content = await this.read(form.slug, input);
    const saved = await this.services.managedForms.save(form, version, content, panelActor(context));
    if (saved === 'not_found') throw formNotFound();
    if (saved === 'moved_on') throw conflict('The form has been changed meanwhile.');
    return saved.form;
  }

  @Authorized()
  @Mutation(() => FormType, {
    description:
      'Creates a form like another one, on no website yet. CONFLICT beyond 1,000 forms of the team.',
  })
  async duplicateForm(
    @Arg('id', () => ID, { description: 'The form to copy.' }) id: string,
    @Arg('slug', () => String, { description: 'Slug of the copy, unique in the team.' }) slug: string,
    @Arg('name', () => String, { nullable: true, description: 'Name of the copy; null: the same.' })
    name: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const copy = {
      slug: readInput(slugValue, slug, 'slug'),
      name: readInput(label.nullish(), name, 'name') ?? null,
    };
    return created(await this.services.managedForms.duplicate(form.id, copy, panelActor(context)), 'Form');
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Deletes a form and takes it off its websites. CONFLICT while there are submissions of it.',
  })
  async deleteForm(
    @Arg('id', () => ID, { description: 'The form.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const form = await requireForm(this.services.managedForms, context.viewer, id, 'manage');
    const outcome = await this.services.managedForms.remove(form, panelActor(context));
    if (outcome === 'not_found') throw formNotFound();
    if (outcome === 'has_submissions') throw conflict('The form has submissions.');
    return true;
  }

  private async read(slug: string, input: FormInput): Promise<FormContent> {
    return (await readFormInput(slug, input, this.services.config.locales)).content;
  }
}

function created(outcome: CreatedForm, what: string): FormType {
  if (outcome === 'not_found') throw notFound(`${what} not found.`);
  if (outcome === 'too_many') throw conflict(`A team has ${MAX_FORMS} forms at most.`);
  if (outcome === 'slug_taken') throw invalid({ slug: ['is the slug of another form of the team'] });
  return outcome.form;
}
