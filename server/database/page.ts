/** Pages of rows in the order of a key that never changes: at most `limit` rows after `after`. */
import { Op, type WhereOptions } from 'sequelize';

export interface Page {
  after?: string | undefined;
  limit?: number | undefined;
}

export const paged = (key: string, where: WhereOptions, { after, limit }: Page) => ({
  where: { [Op.and]: [where, after === undefined ? {} : { [key]: { [Op.gt]: after } }] },
  order: [key],
  ...(limit !== undefined && { limit }),
});
