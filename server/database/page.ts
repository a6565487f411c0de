/** Rows in the order of a key that never changes: those after one, and no more than so many. */
import { Op, type WhereOptions } from 'sequelize';

export interface Page {
  after?: string | undefined;
  limit?: number | undefined;
}

/** What Sequelize is asked for a page of the rows that `where` describes. */
export const paged = (key: string, where: WhereOptions, { after, limit }: Page) => ({
  where: { [Op.and]: [where, after === undefined ? {} : { [key]: { [Op.gt]: after } }] },
  order: [key],
  ...(limit !== undefined && { limit }),
});
