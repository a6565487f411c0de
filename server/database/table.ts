import type { Model, ModelAttributes, ModelStatic } from 'sequelize';
import type { Db } from './database.ts';

/** A table as a Sequelize model, made once for each connection: two nodes in one process do not share one. */
export const table =
  <Row extends object>(name: string, columns: ModelAttributes<Model<Row, Partial<Row>>>) =>
  ({ sequelize }: Db): ModelStatic<Model<Row, Partial<Row>>> =>
    sequelize.isDefined(name)
      ? sequelize.model(name)
      : sequelize.define<Model<Row, Partial<Row>>>(name, columns, {
          tableName: name,
          underscored: true,
          timestamps: false,
        });
