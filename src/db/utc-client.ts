import pg from 'pg';

/** What a connection tells PostgreSQL when it begins; the types of `pg` leave it out. */
type Startup = { getStartupConf(): Record<string, string> };

const ofClient = (pg.Client.prototype as unknown as Startup).getStartupConf;

/**
 * A connection whose session is in UTC and writes dates as ISO 8601, whatever server, database or role have.
 *
 * Prisma's adapter writes instants without an offset and drops the offset of those it reads, so in another time zone
 * each instant would be hours off; the driver reads no other style of dates. They are startup parameters of their own
 * because a transaction pooler keeps track of those, and refuses `options`.
 */
export class UtcClient extends pg.Client {
  getStartupConf(): Record<string, string> {
    return { ...ofClient.call(this), TimeZone: 'UTC', DateStyle: 'ISO' };
  }
}
