import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import { type Policy, requireRight } from '../../auth/policy.js';
import { type Connection, PageArgs, readPage, toConnection } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { pageCost } from '../../graphql/cost.js';
import { intId, uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import {
  ErasureCheckType,
  ErasureReceiptConnection,
  type ErasureReceiptType,
} from './erasure-receipt.type.js';
import { shownReceipt } from './erasure-receipts.mapper.js';
import type { ErasureReceipts } from './erasure-receipts.service.js';
import { emailAddress } from './person.schema.js';

type Services = Readonly<{ policy: Policy; erasureReceipts: ErasureReceipts }>;

@Resolver()
export class ErasureReceiptsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => ErasureReceiptConnection, {
    description: 'The receipts of erasures in a team that the viewer manages, the latest first.',
    complexity: pageCost,
  })
  async erasureReceipts(
    @Arg('teamId', () => ID, { description: 'The team.' }) teamId: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<ErasureReceiptType>> {
    const { policy, erasureReceipts } = this.services;
    const page = readPage(args, ['instant', 'uuid']);
    const id = await policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    return toConnection(
      await erasureReceipts.list(id, page),
      page,
      (receipt) => [receipt.startedAt.toISOString(), receipt.id],
      shownReceipt,
    );
  }

  @Authorized()
  @Query(() => ErasureCheckType, {
    description: 'Whether a receipt is about an address, of a team that the viewer manages.',
  })
  async checkErasure(
    @Arg('receiptId', () => ID, { description: 'The receipt.' }) receiptId: string,
    @Arg('email', () => String, { description: 'The address, in any case of letters.' }) email: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<ErasureCheckType> {
    const { erasureReceipts } = this.services;
    const address = readInput(emailAddress, email, 'email');
    const found = await erasureReceipts.find(uuidId(receiptId, 'Receipt'));
    return erasureReceipts.check(requireRight(viewer, found, 'manage', 'Receipt'), address);
  }
}
